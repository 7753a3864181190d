package io.sluice.benchmarks;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Demand;
import java.util.List;

/** The limits of the benchmarks. They are so high that every request is allowed and charged. */
final class Workload {

    static final TokenBucket ONE = bucket("one");

    /** For many keys. It refills so slowly that no count expires during a run, and its burst is too large to be used up. */
    static final Limit MANY = Limit.named("many").tokenBucket(Rate.perSecond(1)).withBurst(1_000_000_000);

    /** Four token buckets. With a sliding log among them, the benchmark would measure the log instead of the decision. */
    static final List<Demand> FOUR = List.of(
            Demand.of(bucket("global"), "", 1),
            Demand.of(bucket("service"), "orders", 1),
            Demand.of(bucket("resource"), "/api/orders", 1),
            Demand.of(bucket("caller"), "203.0.113.7", 1));

    private Workload() {}

    private static TokenBucket bucket(String name) {
        return Limit.named(name).tokenBucket(Rate.perSecond(1_000_000_000)).withBurst(1_000_000_000);
    }
}
