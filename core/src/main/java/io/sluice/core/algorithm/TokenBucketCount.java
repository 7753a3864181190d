package io.sluice.core.algorithm;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Pace;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;

/** A {@link BucketState} that {@link TokenBuckets} decides on. */
final class TokenBucketCount extends BucketCount {

    TokenBucketCount(TokenBucket limit, BucketState state) {
        super(state);
    }

    @Override
    Pace pace(Limit limit) {
        return ((TokenBucket) limit).pace();
    }

    @Override
    long grant(BucketState aged, Demand demand, long nowMicros) {
        return TokenBuckets.grant((TokenBucket) demand.limit(), aged, demand, nowMicros);
    }

    @Override
    Verdict verdict(BucketState aged, Demand demand, long grant, boolean charged, long nowMicros) {
        return TokenBuckets.verdict((TokenBucket) demand.limit(), aged, demand, grant, charged, nowMicros);
    }
}
