package io.sluice.redis;

import io.sluice.redis.internal.cluster.ClusterAddress;
import io.sluice.redis.internal.link.RedisAddress;

/** Checks the URIs of {@link RedisStore#at} before connecting, and shows them without their secrets. */
public final class RedisUri {

    private RedisUri() {}

    /**
     * Returns the URI if a store can be opened with it.
     *
     * @throws IllegalArgumentException if it is invalid; the message shows it without its secrets
     */
    public static String checked(String uri) {
        Object unused = ClusterAddress.matches(uri) ? ClusterAddress.of(uri) : RedisAddress.of(uri);
        return uri;
    }

    /**
     * Returns the URI for logs, screens and messages: scheme, servers and database. User and password, the query and the fragment
     * become {@code ***}, because people put secrets into each of them.
     */
    public static String shown(String uri) {
        return RedisAddress.shown(uri);
    }
}
