package io.sluice.replay.advice;

import io.sluice.core.spi.Demand;
import io.sluice.replay.log.LoggedRequest;
import java.util.Map;

/**
 * Measures the number that each caller needs: the smallest number that refuses none of its requests. This is the maximum of the permits
 * that count while no request is refused, because a larger number never changes the permits that count. Not thread-safe.
 */
final class NeedMeter extends DemandObserver {

    private final boolean buckets;

    /** @param buckets true to measure the numbers of buckets at their present rates, false to measure the numbers of all other limits */
    NeedMeter(Map<String, LimitCase> cases, boolean buckets) {
        super(cases);
        this.buckets = buckets;
    }

    @Override
    void demand(LimitCase limit, LoggedRequest request, Demand demand, long used) {
        if (!buckets) {
            limit.requests++;
            limit.mostPermits = Math.max(limit.mostPermits, demand.permits());
            boolean unknown =
                    request.durationMicros() < 0 && limit.own.limit().kind().holds();
            limit.withoutDuration += unknown ? 1 : 0;
        }
        if (buckets == limit.isBucket()) {
            limit.needs.raise(CallerTable.hash(demand.key(), null), used);
        }
    }
}
