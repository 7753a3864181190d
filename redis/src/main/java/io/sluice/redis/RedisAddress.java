package io.sluice.redis;

import io.lettuce.core.RedisURI;

/** Reads the addresses of Redis servers. */
final class RedisAddress {

    private RedisAddress() {}

    /** @throws IllegalArgumentException if it is none */
    static RedisURI of(String uri) {
        RedisURI address;
        try {
            address = RedisURI.create(uri);
        } catch (IllegalArgumentException e) {
            // Without its cause, which repeats it whole, password and all.
            throw new IllegalArgumentException("redis: \"" + withoutPassword(uri)
                    + "\" (expected: redis://, rediss:// or redis-sentinel://, such as redis://127.0.0.1:6379)");
        }
        address.setTimeout(Connector.CONNECTING_MAY_TAKE);
        return address;
    }

    private static String withoutPassword(String uri) {
        return uri.replaceAll("//[^/]*@", "//***@");
    }
}
