/** A Redis Cluster: which primary owns which slot, and the way of a batch to it. */
@NullMarked
package io.sluice.redis.internal.cluster;

import org.jspecify.annotations.NullMarked;
