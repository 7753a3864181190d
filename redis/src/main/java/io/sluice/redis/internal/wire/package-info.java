/** The wire format: how a batch of operations is written for the function in Redis, and how its reply is read. */
@NullMarked
package io.sluice.redis.internal.wire;

import org.jspecify.annotations.NullMarked;
