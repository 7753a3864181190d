package io.sluice.node.gateway;

import java.util.Map;

/**
 * Who a caller is, proven by a token or a key. Immutable.
 *
 * @param attributes {@code user}, {@code tenant}, {@code app}, {@code plan}, {@code claim.<name>}; nothing else
 */
record Identity(Map<String, String> attributes) {

    /** Somebody. */
    static final Identity ANONYMOUS = new Identity(Map.of());

    Identity {
        attributes = Map.copyOf(attributes);
    }
}
