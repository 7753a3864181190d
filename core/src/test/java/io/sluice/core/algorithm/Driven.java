package io.sluice.core.algorithm;

import io.sluice.core.Seeded;
import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;

/** A bare count, driven as an engine drives it. */
public final class Driven {

    /** A Sunday in September 2026. */
    public static final long NOW = 1_790_000_000_000_000L;

    /** The number of kinds that {@link #limit} supports. */
    static final int KINDS = 8;

    private final Count count;

    public Driven(Limit limit) {
        count = Count.of(limit);
    }

    /** Asks, and charges what is granted. */
    public Verdict ask(Demand demand, long micros) {
        long grant = count.grant(demand, micros);
        Verdict verdict = count.verdict(demand, grant, grant > 0, micros);
        if (grant > 0) {
            count.charge(demand, grant, micros);
        } else {
            count.refuse(micros);
        }
        return verdict;
    }

    /** Does the same without a verdict and returns how many permits were granted. */
    long take(Demand demand, long micros) {
        long grant = count.grant(demand, micros);
        if (grant > 0) {
            count.charge(demand, grant, micros);
        } else {
            count.refuse(micros);
        }
        return grant;
    }

    Verdict look(Demand demand, long micros) {
        return count.verdict(demand, count.grant(demand, micros), false, micros);
    }

    /** Asks for permits that another limit refuses. */
    void refusedElsewhere(Demand demand, long micros) {
        count.grant(demand, micros);
        count.refuse(micros);
    }

    void giveBack(Charge charge, long micros) {
        count.giveBack(charge, micros);
    }

    boolean renew(Charge charge, long micros) {
        return count.renew(charge, micros);
    }

    boolean isUnused(long micros) {
        return count.isUnused(micros);
    }

    static Charge charge(Demand demand, Verdict verdict) {
        return new Charge(demand.limit(), demand.key(), verdict.granted(), verdict.chargedAtMicros(), demand.holder());
    }

    static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    /**
     * Returns a rate from one a day to ten million a second, including rates that no fraction of small integers can express.
     */
    static Rate rate(Seeded random) {
        return switch (random.nextInt(6)) {
            case 0 -> Rate.perSecond(random.magnitude(1, 10_000_000));
            case 1 -> Rate.perDay(random.magnitude(1, 1_000_000));
            case 2 -> Rate.perHour(3_599_999_999L - random.nextInt(100));
            case 3 -> Rate.perMinute(random.magnitude(1, 1_000_000));
            default -> {
                long micros = random.magnitude(1, 1_000L * 86_400_000_000L);
                yield new Rate(random.magnitude(1, Math.min(Limit.MAX_CAPACITY, micros * 1_000)), micros(micros));
            }
        };
    }

    /** Returns a limit of the given kind whose interesting moments lie within seconds. */
    static Limit limit(Seeded random, int kind) {
        Limit.Named named = Limit.named("kind" + kind);
        long limit = random.magnitude(1, 1_000);
        Duration window = micros(random.magnitude(1, 10_000_000));
        return switch (kind) {
            case 0 -> named.tokenBucket(rate(random)).withBurst(limit);
            case 1 ->
                random.nextBoolean()
                        ? named.leakyBucket(rate(random)).withCapacity(limit)
                        : named.leakyBucket(rate(random))
                                .withCapacity(limit)
                                .withMaxWait(micros(random.nextInt(3_000_000)));
            case 2 -> named.fixedWindow(limit, window);
            case 3 -> named.fixedWindow(limit, Calendar.DAY, ZoneId.of("Europe/Berlin"));
            case 4 -> named.slidingWindow(limit, window).withSlices(slices(random, window));
            case 5 ->
                named.slidingWindow(limit, window)
                        .withSlices(slices(random, window))
                        .asEstimate();
            case 6 -> named.slidingLog(limit, window);
            default -> named.concurrency(limit, window);
        };
    }

    /** Returns about how long it takes until the limit is as if unused; a scale for steps. */
    static long span(Limit limit) {
        return Math.max(1, Math.min(limit.windowMicros(), 1_000L * 86_400_000_000L));
    }

    private static int slices(Seeded random, Duration window) {
        return (int) random.magnitude(1, Math.min(50, window.toNanos() / 1_000));
    }
}
