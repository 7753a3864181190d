package io.sluice.node.gateway.auth;

import java.util.Map;

/**
 * A caller's identity, proven by a token or a key. Immutable.
 *
 * @param attributes only {@code user}, {@code tenant}, {@code app}, {@code plan} and {@code claim.<name>}
 */
public record Identity(Map<String, String> attributes) {

    /** An unknown caller. */
    public static final Identity ANONYMOUS = new Identity(Map.of());

    public Identity {
        attributes = Map.copyOf(attributes);
    }
}
