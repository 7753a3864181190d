/** Refusals that a process caches until the retry time of Redis. */
@NullMarked
package io.sluice.redis.internal.refusal;

import org.jspecify.annotations.NullMarked;
