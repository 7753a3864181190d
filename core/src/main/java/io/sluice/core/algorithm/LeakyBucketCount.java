package io.sluice.core.algorithm;

import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Pace;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;

/** A {@link BucketState} that {@link LeakyBuckets} decides on. */
final class LeakyBucketCount extends BucketCount {

    LeakyBucketCount(LeakyBucket limit) {
        super(BucketState.fresh(0));
    }

    @Override
    Pace pace(Limit limit) {
        return ((LeakyBucket) limit).pace();
    }

    @Override
    long grant(BucketState aged, Demand demand, long nowMicros) {
        return LeakyBuckets.grant((LeakyBucket) demand.limit(), aged, demand, nowMicros);
    }

    @Override
    Verdict verdict(BucketState aged, Demand demand, long grant, boolean charged, long nowMicros) {
        return LeakyBuckets.verdict((LeakyBucket) demand.limit(), aged, demand, grant, charged, nowMicros);
    }
}
