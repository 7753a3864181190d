/** A Redis Cluster: the owners of its slots, and sending a batch to the owner. */
@NullMarked
package io.sluice.redis.internal.cluster;

import org.jspecify.annotations.NullMarked;
