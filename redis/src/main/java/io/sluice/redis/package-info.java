/** An engine that shares its counts through Redis. One script decides any list of limits in a single round trip. */
@NullMarked
package io.sluice.redis;

import org.jspecify.annotations.NullMarked;
