package io.sluice.redis;

import org.jspecify.annotations.Nullable;

/**
 * How a {@link RedisEngine} goes about its work. Immutable.
 *
 * @param coalesces whether asks that wait for the connection go out together; without it each is a call of its own
 * @param recording who hears of every step on every count, numbered in their order; it costs two more writes for each
 *     demand. Null for nobody
 */
public record RedisOptions(boolean coalesces, @Nullable RecordListener recording) {

    /** Coalescing, and no recording. */
    public static RedisOptions defaults() {
        return new RedisOptions(true, null);
    }

    public RedisOptions coalescing(boolean coalesces) {
        return new RedisOptions(coalesces, recording);
    }

    public RedisOptions recording(RecordListener listener) {
        return new RedisOptions(coalesces, listener);
    }
}
