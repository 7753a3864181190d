package io.sluice.core.algorithm;

import io.sluice.core.TokenBucket;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;

/** A {@link BucketState} judged by {@link TokenBuckets}. */
final class TokenBucketCount extends Count {

    private TokenBucket limit;
    private BucketState state;
    private BucketState aged;

    TokenBucketCount(TokenBucket limit, BucketState state) {
        this.limit = limit;
        this.state = state;
        this.aged = state;
    }

    @Override
    public long grant(Demand demand, long nowMicros) {
        limit = (TokenBucket) demand.limit();
        aged = state.at(limit.pace(), nowMicros);
        return TokenBuckets.grant(limit, aged, demand, nowMicros);
    }

    @Override
    public Verdict verdict(Demand demand, long grant, boolean charged, long nowMicros) {
        return TokenBuckets.verdict(limit, aged, demand, grant, charged, nowMicros);
    }

    @Override
    public void charge(Demand demand, long granted, long nowMicros) {
        state = aged.plus(granted);
    }

    @Override
    public void refuse(long nowMicros) {
        state = state.refused(aged);
    }

    @Override
    public void giveBack(Charge charge, long nowMicros) {
        limit = (TokenBucket) charge.limit();
        state = state.at(limit.pace(), nowMicros).giveBack(limit.pace(), charge.permits(), charge.chargedAtMicros());
    }

    @Override
    public boolean isUnused(long nowMicros) {
        return state.at(limit.pace(), nowMicros).isUnused();
    }
}
