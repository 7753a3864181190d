/** Permits that a process takes from the store in advance and spends by itself. */
@NullMarked
package io.sluice.redis.internal.lease;

import org.jspecify.annotations.NullMarked;
