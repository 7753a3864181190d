/** Refusals that a process caches for as long as Redis says. */
@NullMarked
package io.sluice.redis.internal.refusal;

import org.jspecify.annotations.NullMarked;
