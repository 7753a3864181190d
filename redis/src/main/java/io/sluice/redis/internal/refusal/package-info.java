/** Refusals that a process remembers for as long as Redis named. */
@NullMarked
package io.sluice.redis.internal.refusal;

import org.jspecify.annotations.NullMarked;
