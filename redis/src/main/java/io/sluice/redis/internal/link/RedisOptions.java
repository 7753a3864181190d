package io.sluice.redis.internal.link;

import io.sluice.core.history.HistoryListener;
import io.sluice.redis.store.StoreListener;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the engine goes about its work. Immutable.
 *
 * @param coalesces whether asks that wait for the connection go out together; without it each is a call of its own
 * @param recording who hears of every step on every count, numbered in their order, and of every answer; it costs a write
 *     more for each count in a call. What it throws is logged. Null for nobody
 * @param slow a Redis that has not answered for this long is not asked any more until it answers more quickly: {@link #SLOW}, unless
 *     it is far away
 * @param hashTags whether a key that begins with a text in braces, {@code {acme}user=u-17}, says by it in which slot of a
 *     Cluster it is kept: all counts with one such text are in one slot, and an ask of them is decided in one step. All processes
 *     that share counts must agree on it
 * @param listener who hears how Redis is doing
 */
public record RedisOptions(
        boolean coalesces,
        @Nullable HistoryListener recording,
        Duration slow,
        boolean hashTags,
        StoreListener listener) {

    /** Beyond any deadline that a decision on a healthy Redis needs, and short enough to spare all but the first callers. */
    public static final Duration SLOW = Duration.ofMillis(50);

    public RedisOptions {
        if (slow.isNegative() || slow.isZero()) {
            throw new IllegalArgumentException("slow: " + slow + " (expected: more than nothing)");
        }
        Objects.requireNonNull(listener, "listener");
        recording = SafeHistoryListener.of(recording);
    }

    /** Coalescing, no recording, no hash tags, nobody who listens. */
    public static RedisOptions defaults() {
        return new RedisOptions(true, null, SLOW, false, StoreListener.NONE);
    }

    public RedisOptions coalescing(boolean coalesces) {
        return new RedisOptions(coalesces, recording, slow, hashTags, listener);
    }

    public RedisOptions recording(HistoryListener listener) {
        return new RedisOptions(coalesces, listener, slow, hashTags, this.listener);
    }

    public RedisOptions slow(Duration slow) {
        return new RedisOptions(coalesces, recording, slow, hashTags, listener);
    }

    public RedisOptions hashTags(boolean hashTags) {
        return new RedisOptions(coalesces, recording, slow, hashTags, listener);
    }

    public RedisOptions listener(StoreListener listener) {
        return new RedisOptions(coalesces, recording, slow, hashTags, listener);
    }
}
