package io.sluice.benchmarks.fleet;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.LeasePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What one node of a fleet asks for.
 *
 * @param algorithm as rule documents spell it
 * @param perSecond what the limit lets pass
 * @param leased whether by leases, or each decision in Redis
 * @param mixed whether each request also asks a second limit, which is never leased and lets less pass
 * @param askedPerSecond by this node
 * @param size of a lease; 0 by the key's own rate
 */
record Load(
        String algorithm,
        long perSecond,
        boolean leased,
        boolean mixed,
        double askedPerSecond,
        double seconds,
        long size) {

    private static final Duration DEADLINE = Duration.ofMillis(100);

    private static final Limit.Named SECOND = Limit.named("second");
    static final LeasePolicy USUAL = new LeasePolicy(0, 0.1, 1_000_000);

    Limit limit() {
        Limit.Named named = Limit.named("fleet");
        return switch (algorithm) {
            case "token_bucket" -> named.tokenBucket(Rate.perSecond(perSecond));
            case "leaky_bucket" -> named.leakyBucket(Rate.perSecond(perSecond));
            case "fixed_window" -> named.fixedWindow(perSecond, Duration.ofSeconds(1));
            case "sliding_window" -> named.slidingWindow(perSecond, Duration.ofSeconds(1));
            case "sliding_log" -> named.slidingLog(perSecond, Duration.ofSeconds(1));
            case "concurrency" -> named.concurrency(Math.max(1, perSecond / 100), Duration.ofSeconds(1));
            default -> throw new IllegalArgumentException("algorithm: " + algorithm);
        };
    }

    /** A request, which nobody lets pass while Redis does not answer: so all that passed is in the history. */
    Ask ask(Limit limit, String key, long nowNanos) {
        Demand demand = Demand.of(limit, key, 1).waitingUpTo(0);
        List<Demand> demands = new ArrayList<>();
        demands.add(leased ? demand.leasedBy(new LeasePolicy(size, USUAL.share(), USUAL.ttlMicros())) : demand);
        if (mixed) {
            demands.add(Demand.of(SECOND.fixedWindow(perSecond / 2, Duration.ofSeconds(1)), key, 1));
        }
        return Ask.charging(demands).dueAt(nowNanos + DEADLINE.toNanos()).onFailure(FailurePolicy.CLOSED, 1);
    }

    List<String> words() {
        return List.of(
                algorithm,
                Long.toString(perSecond),
                Boolean.toString(leased),
                Boolean.toString(mixed),
                Double.toString(askedPerSecond),
                Double.toString(seconds),
                Long.toString(size));
    }

    static Load of(List<String> words) {
        return new Load(
                words.get(0),
                Long.parseLong(words.get(1)),
                Boolean.parseBoolean(words.get(2)),
                Boolean.parseBoolean(words.get(3)),
                Double.parseDouble(words.get(4)),
                Double.parseDouble(words.get(5)),
                Long.parseLong(words.get(6)));
    }
}
