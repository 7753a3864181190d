package io.sluice.redis.internal.link;

import io.lettuce.core.RedisURI;

/** Reads the addresses of Redis servers. */
public final class RedisAddress {

    private RedisAddress() {}

    /**
     * Reads the address of a server or of Sentinels.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static RedisURI of(String uri) {
        return server(uri, uri);
    }

    /**
     * Reads the address of one server.
     *
     * @param whole what it is a part of, to be shown if it is refused
     */
    public static RedisURI server(String uri, String whole) {
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

    public static IllegalArgumentException refused(String uri) {
        return new IllegalArgumentException("redis: \"" + withoutPassword(uri)
                + "\" (expected: redis://, rediss://, redis-sentinel://, redis-cluster:// or rediss-cluster://, such as"
                + " redis://127.0.0.1:6379 or redis-cluster://10.0.0.1:6379,10.0.0.2:6379)");
    }

    private static String withoutPassword(String uri) {
        return uri.replaceAll("//[^/]*@", "//***@");
    }
}
