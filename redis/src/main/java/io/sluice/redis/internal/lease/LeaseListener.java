package io.sluice.redis.internal.lease;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.EngineDecision;

/**
 * Hears what becomes of leased permits, for checking histories. Called by whoever spends, before he is answered: must be quick.
 * Safe for use by many threads. Times by the clock of this process.
 */
public interface LeaseListener {

    /** Hears nothing. */
    LeaseListener NONE = new LeaseListener() {};

    /** The ask under the name by which the listener tells it from others. */
    default Ask named(Ask ask) {
        return ask;
    }

    /** What a count is called by whoever hears of it; asked once for a key that is leased. */
    default String count(Limit limit, String key) {
        return "";
    }

    /**
     * Permits of a lease were spent on a demand.
     *
     * @param count as {@link #count} named it
     */
    default void spent(Ask ask, String count, String lease, long permits, long nowNanos, long endsNanos) {}

    /**
     * Permits that were spent are not any more.
     *
     * @param ask the name of the ask that they were spent for; empty if that is not known
     * @param lease which they are in again; empty if it is closed, and they go back to the store
     */
    default void unspent(
            String ask, Limit limit, String key, String lease, long permits, long nowNanos, long endsNanos) {}

    /** An ask was answered in which leases had a hand. */
    default void answered(Ask ask, EngineDecision decided) {}
}
