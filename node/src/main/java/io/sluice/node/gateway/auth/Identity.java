package io.sluice.node.gateway.auth;

import java.util.Map;

/**
 * Who a caller is, proven by a token or a key. Immutable.
 *
 * @param attributes {@code user}, {@code tenant}, {@code app}, {@code plan}, {@code claim.<name>}; nothing else
 */
public record Identity(Map<String, String> attributes) {

    /** Somebody. */
    public static final Identity ANONYMOUS = new Identity(Map.of());

    public Identity {
        attributes = Map.copyOf(attributes);
    }
}
