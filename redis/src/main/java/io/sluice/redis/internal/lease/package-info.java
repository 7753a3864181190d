/** Permits that a process leases from the store in advance and spends on its own. */
@NullMarked
package io.sluice.redis.internal.lease;

import org.jspecify.annotations.NullMarked;
