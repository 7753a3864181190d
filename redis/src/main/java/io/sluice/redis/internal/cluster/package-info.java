/** A Redis Cluster: which primary owns which slot, and how a batch reaches it. */
@NullMarked
package io.sluice.redis.internal.cluster;

import org.jspecify.annotations.NullMarked;
