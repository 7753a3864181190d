package io.sluice.redis;

import io.lettuce.core.RedisURI;

/** Reads the addresses of Redis servers. */
final class RedisAddress {

    private RedisAddress() {}

    /** @throws IllegalArgumentException if it is none */
    static RedisURI of(String uri) {
        return server(uri, uri);
    }

    /** @param whole what it is a part of, to be shown if it is refused */
    static RedisURI server(String uri, String whole) {
        RedisURI address;
        try {
            address = RedisURI.create(uri);
        } catch (IllegalArgumentException e) {
            // Without its cause, which repeats it whole, password and all.
            throw refused(whole);
        }
        address.setTimeout(Connector.CONNECTING_MAY_TAKE);
        return address;
    }

    static IllegalArgumentException refused(String uri) {
        return new IllegalArgumentException("redis: \"" + withoutPassword(uri)
                + "\" (expected: redis://, rediss://, redis-sentinel://, redis-cluster:// or rediss-cluster://, such as"
                + " redis://127.0.0.1:6379 or redis-cluster://10.0.0.1:6379,10.0.0.2:6379)");
    }

    private static String withoutPassword(String uri) {
        return uri.replaceAll("//[^/]*@", "//***@");
    }
}
