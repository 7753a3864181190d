package io.sluice.redis.internal.cluster;

import io.sluice.redis.internal.link.RedisLink;
import java.util.concurrent.atomic.AtomicInteger;

/** A primary of a Cluster and the link to it. Thread-safe. */
final class ClusterNode {

    final Endpoint endpoint;
    final RedisLink link;

    /** The number of operations that wait for this node or are in flight to it, over all its slots. */
    final AtomicInteger load = new AtomicInteger();

    /** The time at which the Cluster or a redirection last named this node. */
    volatile long namedNanos;

    ClusterNode(Endpoint endpoint, RedisLink link) {
        this.endpoint = endpoint;
        this.link = link;
    }
}
