package io.sluice.redis.internal.lease;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.EngineDecision;

/**
 * A listener for the use of leased permits, for checking histories. It is called by the thread that spends, before the caller
 * receives the answer, so it must be fast. Thread-safe. Times are by the clock of this process.
 */
public interface LeaseListener {

    /** A listener that does nothing. */
    LeaseListener NONE = new LeaseListener() {};

    /** Returns the request with an id by which the listener distinguishes it from other requests. */
    default Ask named(Ask ask) {
        return ask;
    }

    /** Returns the name of a count for the listener. Called once per leased key. */
    default String count(Limit limit, String key) {
        return "";
    }

    /**
     * Called when permits of a lease were spent on a demand.
     *
     * @param count the name that {@link #count} returned
     */
    default void spent(Ask ask, String count, String lease, long permits, long nowNanos, long endsNanos) {}

    /**
     * Called when spent permits were put back.
     *
     * @param ask the id of the request for which the permits were spent; empty if unknown
     * @param lease the lease that holds the permits again; empty if it is closed and the permits go back to the store
     */
    default void unspent(
            String ask, Limit limit, String key, String lease, long permits, long nowNanos, long endsNanos) {}

    /** Called when a request was answered with the help of leases. */
    default void answered(Ask ask, EngineDecision decided) {}
}
