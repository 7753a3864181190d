package io.sluice.redis.store;

/**
 * Is notified of the state of Redis and of calls to it, for metrics and health checks. Callbacks run on the thread that reads
 * from Redis or on any other thread. An implementation must be fast, non-blocking and thread-safe.
 */
public interface StoreListener {

    /** A listener that does nothing. */
    StoreListener NONE = new StoreListener() {};

    /**
     * Called when a call to Redis has ended.
     *
     * @param outcome {@code ok}, {@code late} (the answer came after most of its callers had stopped waiting), or the reason why
     *     there was no answer, such as {@code redis-disconnected} or {@code redis-loading}. There are only a handful of values
     * @param decisions how many requests, refunds and renewals the call contained
     * @param nanos how long the call took
     */
    default void called(String outcome, int decisions, long nanos) {}

    /** Called when Redis becomes available or unavailable. */
    default void changed(StoreState state) {}
}
