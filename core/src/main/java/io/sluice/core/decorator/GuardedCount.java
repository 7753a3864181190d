package io.sluice.core.decorator;

import io.sluice.core.algorithm.Count;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * What one process got of a count that it shares, and what it asks for at the moment. Part of {@link Guard}, which lets one
 * thread at a time do something to it. Times are those of the store.
 */
final class GuardedCount {

    /** Whoever is only in the way of others is told to come back when those have been answered. */
    private static final long RETRY_MICROS = Ask.DEFAULT_DEADLINE.toMillis() * 1_000;

    private final Count got;
    private long underWay;

    GuardedCount(Limit limit) {
        this.got = Count.of(limit);
    }

    /** Notes that the store is asked for a demand; or what the demand is told if that would be too much. */
    @Nullable
    Verdict enter(Demand demand, Limit enlarged, long nowMicros) {
        long grant = got.grant(withThoseUnderWay(demand).on(enlarged), nowMicros);
        if (grant > 0) {
            underWay += demand.permits();
            return null;
        }
        return refused(demand, nowMicros);
    }

    /** The store is no longer asked for so many permits. */
    void leave(long permits) {
        underWay -= permits;
    }

    /** The store granted so much of a demand. */
    void charge(Demand demand, Limit enlarged, long granted, long atMicros) {
        Demand same = demand.on(enlarged);
        // Brings the count to that time; what is charged was granted elsewhere.
        long unused = got.grant(same, atMicros);
        got.charge(same, granted, atMicros);
    }

    void giveBack(Charge charge, long nowMicros) {
        got.giveBack(charge, nowMicros);
    }

    /** Whether forgetting it would change nothing. */
    boolean isIdle(long nowMicros) {
        return underWay == 0 && got.isUnused(nowMicros);
    }

    /**
     * A demand for what is under way and for itself. Who asks a token bucket for a later slot is not held up by what is under way:
     * slots are handed out beyond the burst, to each by itself.
     */
    private Demand withThoseUnderWay(Demand demand) {
        if (underWay == 0 || (demand.limit() instanceof TokenBucket && demand.maxWaitMicros() > 0)) {
            return demand;
        }
        long permits = Math.min(Limit.MAX_PERMITS, demand.permits() + underWay);
        long atLeast = Math.min(Limit.MAX_PERMITS, demand.atLeast() + underWay);
        return new Demand(
                demand.limit(),
                demand.key(),
                permits,
                atLeast,
                demand.maxWaitMicros(),
                demand.holder(),
                demand.label(),
                demand.guard(),
                demand.lease());
    }

    /** By the limit as it is, because that is what callers are told of. */
    private Verdict refused(Demand demand, long nowMicros) {
        long grant = got.grant(demand, nowMicros);
        Verdict alone = got.verdict(demand, grant, false, nowMicros);
        return new Verdict(
                false,
                0,
                Math.max(0, alone.remaining() - underWay),
                grant > 0 ? RETRY_MICROS : alone.retryAfterMicros(),
                alone.resetAfterMicros(),
                0,
                nowMicros);
    }
}
