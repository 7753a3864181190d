/** The engine that shares its counts through Redis: one script decides any list of limits in one round trip. */
@NullMarked
package io.sluice.redis;

import org.jspecify.annotations.NullMarked;
