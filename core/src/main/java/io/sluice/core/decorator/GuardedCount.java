package io.sluice.core.decorator;

import io.sluice.core.algorithm.Count;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * The permits that one process got from a shared count, and the permits it is currently asking for. Part of {@link Guard},
 * which gives access to one thread at a time. Times are by the store's clock.
 */
final class GuardedCount {

    /** The retry time if only asks in progress prevent the grant: they will have been answered by then. */
    private static final long RETRY_MICROS = Ask.DEFAULT_DEADLINE.toMillis() * 1_000;

    private final Count got;
    private long underWay;

    GuardedCount(Limit limit) {
        this.got = Count.of(limit);
    }

    /** Records that the store is being asked for a demand. Returns a refusal if the demand would exceed the guard. */
    @Nullable
    Verdict enter(Demand demand, Limit enlarged, long nowMicros) {
        long grant = got.grant(withThoseUnderWay(demand).on(enlarged), nowMicros);
        if (grant > 0) {
            underWay += demand.permits();
            return null;
        }
        return refused(demand, nowMicros);
    }

    /** Called when the store is no longer being asked for these permits. */
    void leave(long permits) {
        underWay -= permits;
    }

    /** Records the permits that the store granted for a demand. */
    void charge(Demand demand, Limit enlarged, long granted, long atMicros) {
        Demand same = demand.on(enlarged);
        // Ages the count to that time. The result is not needed, because the store has already granted the permits.
        long unused = got.grant(same, atMicros);
        got.charge(same, granted, atMicros);
    }

    void giveBack(Charge charge, long nowMicros) {
        got.giveBack(charge, nowMicros);
    }

    void settle(Settlement settlement, long nowMicros) {
        long unused = got.settle(settlement, nowMicros);
    }

    /** Returns whether forgetting this count would make no difference. */
    boolean isIdle(long nowMicros) {
        return underWay == 0 && got.isUnused(nowMicros);
    }

    /**
     * Returns a demand that includes the asks in progress. They do not delay an ask for a later slot of a token bucket, because
     * such slots are granted beyond the burst, each on its own.
     */
    private Demand withThoseUnderWay(Demand demand) {
        if (underWay == 0 || (demand.limit().kind().grantsAhead() && demand.maxWaitMicros() > 0)) {
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
                demand.lease(),
                demand.keep());
    }

    /** Returns the refusal by the limit itself, not by the enlarged limit, because callers know only the limit itself. */
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
                nowMicros,
                alone.keptForOthers());
    }
}
