package io.sluice.redis.store;

/**
 * Hears how Redis is doing, for metrics and health. Called on the thread that reads from Redis, or on any other: must be quick,
 * must not block, and is safe for use by many threads.
 */
public interface StoreListener {

    /** Hears nothing. */
    StoreListener NONE = new StoreListener() {};

    /**
     * A call has ended.
     *
     * @param outcome {@code ok}, {@code late} (answered when nobody waited any more), or why there was no answer, such as {@code
     *     redis-disconnected} or {@code redis-loading}: a handful of names
     * @param decisions how many asks, give-backs and renewals were in it
     * @param nanos how long it took
     */
    default void called(String outcome, int decisions, long nanos) {}

    /** Redis is asked again, or no longer. */
    default void changed(StoreState state) {}
}
