package io.sluice.benchmarks;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Demand;
import java.util.List;

/** The limits that the benchmarks decide: generous, so that every decision charges. */
final class Workload {

    static final TokenBucket ONE = bucket("one");

    /** For many keys: refills so slowly that no count is forgotten meanwhile, and holds so much that none refuses. */
    static final Limit MANY = Limit.named("many").tokenBucket(Rate.perSecond(1)).withBurst(1_000_000_000);

    /** A caller's log among three buckets would measure the log; four buckets measure the decision. */
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
