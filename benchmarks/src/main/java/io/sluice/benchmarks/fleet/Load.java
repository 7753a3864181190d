package io.sluice.benchmarks.fleet;

import io.sluice.core.limit.Algorithm;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Parameter;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.LeasePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The load on one node of a fleet.
 *
 * @param algorithm its name in rule documents
 * @param perSecond the rate of the limit
 * @param leased whether the node uses leases; otherwise each decision is made in Redis
 * @param mixed whether each request also asks for a second limit, which is lower and never leased
 * @param askedPerSecond the requests per second of this node
 * @param size the size of a lease; 0 if it follows the rate of the key
 * @param patience how long a request waits for Redis
 */
record Load(
        String algorithm,
        long perSecond,
        boolean leased,
        boolean mixed,
        double askedPerSecond,
        double seconds,
        long size,
        Duration patience) {

    /** How long a request of a typical service would wait. */
    static final Duration BRIEF = Duration.ofMillis(100);

    /** Long enough for every answer to arrive, even on a slow machine, so that the history has every step. */
    static final Duration ENDLESS = Duration.ofMinutes(1);

    private static final Limit.Named SECOND = Limit.named("second");
    static final LeasePolicy USUAL = new LeasePolicy(0, 0.1, 1_000_000);

    Load patient() {
        return new Load(algorithm, perSecond, leased, mixed, askedPerSecond, seconds, size, ENDLESS);
    }

    /** Returns the load for the warm-up, which lasts long enough for the code to be compiled. */
    Load warmingUp() {
        return new Load(algorithm, perSecond, leased, mixed, 2_000, 0.5, size, patience);
    }

    Limit limit() {
        Algorithm kind = Algorithm.of(algorithm);
        Map<Parameter, Object> values = new EnumMap<>(Parameter.class);
        for (Parameter parameter : kind.parameters()) {
            switch (parameter) {
                case RATE -> values.put(parameter, Rate.perSecond(perSecond));
                case LIMIT -> values.put(parameter, kind.holds() ? Math.max(1, perSecond / 100) : perSecond);
                case WINDOW, TTL -> values.put(parameter, Duration.ofSeconds(1));
                default -> {}
            }
        }
        return kind.limit("fleet", values);
    }

    /** Returns a request that is refused while Redis does not answer, so that the history has everything that passed. */
    Ask ask(Limit limit, String key, long nowNanos) {
        Demand demand = Demand.of(limit, key, 1).waitingUpTo(0);
        List<Demand> demands = new ArrayList<>();
        demands.add(leased ? demand.leasedBy(new LeasePolicy(size, USUAL.share(), USUAL.ttlMicros())) : demand);
        if (mixed) {
            demands.add(Demand.of(SECOND.fixedWindow(perSecond / 2, Duration.ofSeconds(1)), key, 1));
        }
        return Ask.charging(demands).dueAt(nowNanos + patience.toNanos()).onFailure(FailurePolicy.CLOSED, 1);
    }

    List<String> words() {
        return List.of(
                algorithm,
                Long.toString(perSecond),
                Boolean.toString(leased),
                Boolean.toString(mixed),
                Double.toString(askedPerSecond),
                Double.toString(seconds),
                Long.toString(size),
                patience.toString());
    }

    static Load of(List<String> words) {
        return new Load(
                words.get(0),
                Long.parseLong(words.get(1)),
                Boolean.parseBoolean(words.get(2)),
                Boolean.parseBoolean(words.get(3)),
                Double.parseDouble(words.get(4)),
                Double.parseDouble(words.get(5)),
                Long.parseLong(words.get(6)),
                Duration.parse(words.get(7)));
    }
}
