package io.sluice.redis.internal.link;

import io.lettuce.core.RedisURI;

/** Parses the addresses of Redis servers. */
public final class RedisAddress {

    private RedisAddress() {}

    /**
     * Parses the address of a server or of Sentinels.
     *
     * @throws IllegalArgumentException if the address is invalid
     */
    public static RedisURI of(String uri) {
        return server(uri, uri);
    }

    /**
     * Parses the address of one server.
     *
     * @param whole the complete address that it is part of, for the error message
     */
    public static RedisURI server(String uri, String whole) {
        RedisURI address;
        try {
            address = RedisURI.create(uri);
        } catch (IllegalArgumentException e) {
            // Drop the cause: its message repeats the URI, including the password.
            throw refused(whole);
        }
        address.setTimeout(Connector.CONNECTING_MAY_TAKE);
        return address;
    }

    public static IllegalArgumentException refused(String uri) {
        return new IllegalArgumentException("redis: \"" + withoutPassword(uri)
                + "\" (expected: redis://, rediss://, redis-sentinel://, redis-cluster:// or rediss-cluster://, such as"
                + " redis://127.0.0.1:6379 or redis-cluster://10.0.0.1:6379,10.0.0.2:6379)");
    }

    private static String withoutPassword(String uri) {
        return uri.replaceAll("//[^/]*@", "//***@");
    }
}
