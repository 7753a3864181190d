package io.sluice.redis.internal.link;

import io.sluice.core.history.HistoryListener;
import io.sluice.redis.store.StoreListener;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Options of the engine. Immutable.
 *
 * @param coalesces whether requests that wait for the connection are sent together; otherwise each is a call of its own
 * @param recording the listener that receives every step on every count, numbered in order, and every answer. It costs one more
 *     write per count in a call. Exceptions that it throws are logged. Null for none
 * @param slow the time after which Redis, if it leaves calls unanswered, is no longer asked until it answers faster. {@link #SLOW} is right
 *     unless Redis is far away
 * @param hashTags whether text in braces at the start of a key, as in {@code {acme}user=u-17}, chooses the slot of a Cluster in
 *     which the key is stored. All counts with the same text are in one slot, and a request over them is decided in one step. All
 *     processes that share counts must use the same setting
 * @param listener the listener that is notified of the state of Redis and of every call
 */
public record RedisOptions(
        boolean coalesces,
        @Nullable HistoryListener recording,
        Duration slow,
        boolean hashTags,
        StoreListener listener) {

    /**
     * The default of {@link #slow}: longer than any deadline that a decision on a healthy Redis needs, and short enough that only the first
     * callers wait.
     */
    public static final Duration SLOW = Duration.ofMillis(50);

    public RedisOptions {
        if (slow.isNegative() || slow.isZero()) {
            throw new IllegalArgumentException("slow: " + slow + " (expected: a positive duration such as 50 ms)");
        }
        listener = SafeStoreListener.of(Objects.requireNonNull(listener, "listener"));
        recording = SafeHistoryListener.of(recording);
    }

    /** Returns the defaults: coalescing, no recording, no hash tags, no listener. */
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
