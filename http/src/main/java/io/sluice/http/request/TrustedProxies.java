package io.sluice.http.request;

import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Network;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The proxies that are trusted to report the caller's address. Immutable. */
public sealed interface TrustedProxies {

    /** Trusts no proxy: the caller is the peer that connected. */
    record Nobody() implements TrustedProxies {}

    /**
     * Trusts a number of proxies, one behind the other, through which <em>every</em> request comes; the peer that connects is
     * the first. A caller that bypasses the outer proxies can write any address, so name networks if you can.
     *
     * @param count the number of proxies, 1 to 100
     */
    record Nearest(int count) implements TrustedProxies {
        public Nearest {
            if (count < 1 || count > 100) {
                throw new IllegalArgumentException("trusted_proxies: " + count + " (expected: 1..100, or networks)");
            }
        }
    }

    /** Trusts proxies in these networks. */
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

    /**
     * Returns whether headers on a connection from this peer are read. Null stands for a peer without an address, such as a
     * Unix socket.
     */
    default boolean trusts(@Nullable Address peer) {
        return this instanceof Nearest || (this instanceof Within within && peer != null && within.contains(peer));
    }
}
