package io.sluice.redis.store;

/**
 * A listener for the state of Redis and the calls to it, for metrics and health checks. Callbacks run on the thread that reads from Redis
 * or on any other thread. An implementation must be fast, non-blocking and thread-safe.
 */
public interface StoreListener {

    /** A listener that does nothing. */
    StoreListener NONE = new StoreListener() {};

    /**
     * Called when a call to Redis has ended.
     *
     * @param outcome the outcome: {@code ok}, {@code late} (the answer came after most of its callers had stopped waiting), or the reason
     *     why there was no answer, such as {@code redis-disconnected} or {@code redis-loading}. There are only a few values
     * @param decisions the number of requests, refunds and renewals in the call
     * @param nanos the duration of the call
     */
    default void called(String outcome, int decisions, long nanos) {}

    /** Called when Redis becomes available or unavailable. */
    default void changed(StoreState state) {}
}
