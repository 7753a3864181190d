package io.sluice.redis.internal.cluster;

import io.sluice.redis.internal.link.RedisLink;
import java.util.concurrent.atomic.AtomicInteger;

/** A primary of a Cluster and the way to it. Safe for use by many threads. */
final class ClusterNode {

    final Endpoint endpoint;
    final RedisLink link;

    /** How many questions wait for it or are under way to it, whatever their slots. */
    final AtomicInteger load = new AtomicInteger();

    /** When the Cluster, or a redirection, last named it. */
    volatile long namedNanos;

    ClusterNode(Endpoint endpoint, RedisLink link) {
        this.endpoint = endpoint;
        this.link = link;
    }
}
