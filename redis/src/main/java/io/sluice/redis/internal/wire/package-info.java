/** The wire format: writes a batch of operations for the function in Redis, and reads its reply. */
@NullMarked
package io.sluice.redis.internal.wire;

import org.jspecify.annotations.NullMarked;
