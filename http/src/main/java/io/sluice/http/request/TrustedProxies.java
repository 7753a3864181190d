package io.sluice.http.request;

import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Network;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whose word on the caller's address is taken. Immutable. */
public sealed interface TrustedProxies {

    /** Nobody's: the caller is who connected. */
    record Nobody() implements TrustedProxies {}

    /**
     * That of so many proxies, one behind the other, through which <em>every</em> request comes; the one that connects to us is the
     * first. Whoever gets past the outer ones can write an address of his own: where networks can be named, name them.
     *
     * @param count 1 to 100
     */
    record Nearest(int count) implements TrustedProxies {
        public Nearest {
            if (count < 1 || count > 100) {
                throw new IllegalArgumentException("trusted_proxies: " + count + " (expected: 1..100, or networks)");
            }
        }
    }

    /** That of proxies in these networks. */
    record Within(List<Network> networks) implements TrustedProxies {
        public Within {
            networks = List.copyOf(networks);
        }

        boolean contains(Address address) {
            for (Network network : networks) {
                if (network.contains(address)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Whether headers on a connection from there are read; null is a peer without an address, such as a Unix socket. */
    default boolean trusts(@Nullable Address peer) {
        return this instanceof Nearest || (this instanceof Within within && peer != null && within.contains(peer));
    }
}
