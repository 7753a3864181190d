package io.sluice.core.algorithm;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Pace;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;

/** A count that holds a {@link BucketState}; subclasses decide on it. */
abstract class BucketCount extends Count {

    private BucketState state;
    private BucketState aged;

    BucketCount(BucketState state) {
        this.state = state;
        this.aged = state;
    }

    abstract Pace pace(Limit limit);

    abstract long grant(BucketState aged, Demand demand, long nowMicros);

    abstract Verdict verdict(BucketState aged, Demand demand, long grant, boolean charged, long nowMicros);

    @Override
    public final long grant(Demand demand, long nowMicros) {
        aged = state.at(pace(demand.limit()), nowMicros);
        return grant(aged, demand, nowMicros);
    }

    @Override
    public final Verdict verdict(Demand demand, long grant, boolean charged, long nowMicros) {
        return verdict(aged, demand, grant, charged, nowMicros);
    }

    @Override
    public final void charge(Demand demand, long granted, long nowMicros) {
        state = aged.plus(granted);
    }

    @Override
    public final void refuse(long nowMicros) {
        state = state.refused(aged);
    }

    @Override
    public final void giveBack(Charge charge, long nowMicros) {
        state = state.giveBack(charge.permits(), charge.chargedAtMicros(), nowMicros);
    }

    @Override
    public final long settle(Settlement settlement, long nowMicros) {
        if (settlement.more() == 0) {
            return 0;
        }
        BucketState before = state.atSettlement(pace(settlement.limit()), nowMicros);
        state = before.settle(settlement, nowMicros);
        return state.over(before);
    }

    @Override
    public final boolean isUnused(long nowMicros) {
        return state.at(state.pace(), nowMicros).isUnused();
    }
}
