/** Removes the counts of one subject from Redis. */
@NullMarked
package io.sluice.redis.internal.erasure;

import org.jspecify.annotations.NullMarked;
