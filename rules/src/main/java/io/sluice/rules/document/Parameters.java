package io.sluice.rules.document;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.TokenBucket;
import io.sluice.rules.yaml.Fields;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Optional;

/** The parameters of a limit as a mapping gives them. A parameter that the mapping does not give is empty. Immutable. */
record Parameters(
        Optional<Rate> rate,
        Optional<Long> burst,
        Optional<Long> capacity,
        Optional<Duration> maxWait,
        Optional<Long> limit,
        Optional<Duration> window,
        Optional<Calendar> align,
        Optional<ZoneId> zone,
        Optional<Long> slices,
        Optional<Boolean> weighted,
        Optional<Duration> ttl) {

    static final ZoneId DEFAULT_ZONE = ZoneId.of("UTC");

    static Parameters read(Fields fields, Algorithm algorithm) {
        return new Parameters(
                fields.read("rate", text -> Quantities.rate("rate", text)),
                fields.whole("burst", 0, Limit.MAX_CAPACITY),
                fields.whole("capacity", 0, Limit.MAX_CAPACITY - 1),
                fields.read("max_wait", text -> Quantities.wait("max_wait", text)),
                fields.whole("limit", 0, largest(algorithm)),
                fields.read("window", text -> Quantities.window("window", text)),
                fields.choice("align", DocumentWords.CALENDARS),
                fields.read("zone", text -> Quantities.zone("zone", text)),
                fields.whole("slices", 1, SlidingWindow.MAX_SLICES),
                fields.flag("weighted"),
                fields.read("ttl", text -> Quantities.window("ttl", text)));
    }

    static long largest(Algorithm algorithm) {
        return switch (algorithm) {
            case SLIDING_LOG -> SlidingLog.MAX_LIMIT;
            case CONCURRENCY -> Concurrency.MAX_LIMIT;
            default -> Limit.MAX_CAPACITY;
        };
    }

    /**
     * Returns these numbers, with the others' numbers where these have none. Everything that is not a number comes from the
     * others.
     */
    Parameters over(Parameters others) {
        return new Parameters(
                rate.or(others::rate),
                burst.or(others::burst),
                capacity.or(others::capacity),
                maxWait.or(others::maxWait),
                limit.or(others::limit),
                others.window,
                others.align,
                others.zone,
                others.slices,
                others.weighted,
                ttl.or(others::ttl));
    }

    /**
     * Builds the limit. The parameters that the algorithm requires must be present. The factories of the core module make the
     * final check, and throw {@link IllegalArgumentException} for an impossible limit.
     *
     * @param hasCost whether the limit has a cost
     */
    Limit build(Algorithm algorithm, String name, boolean hasCost) {
        Limit.Named named = Limit.named(name);
        return switch (algorithm) {
            case TOKEN_BUCKET -> tokenBucket(named, hasCost);
            case LEAKY_BUCKET -> leakyBucket(named);
            case FIXED_WINDOW ->
                align.isPresent()
                        ? named.fixedWindow(limit.orElseThrow(), align.get(), zone.orElse(DEFAULT_ZONE))
                        : named.fixedWindow(limit.orElseThrow(), window.orElseThrow());
            case SLIDING_WINDOW -> slidingWindow(named);
            case SLIDING_LOG -> named.slidingLog(limit.orElseThrow(), window.orElseThrow());
            case CONCURRENCY -> named.concurrency(limit.orElseThrow(), ttl.orElseThrow());
        };
    }

    /**
     * Returns a bucket with the default burst: one second of the rate, or the whole rate if the limit has a cost. A single
     * request may cost more than one second of {@code 100000/m}.
     */
    static TokenBucket usual(Limit.Named named, Rate rate, boolean hasCost) {
        TokenBucket bucket = named.tokenBucket(rate);
        return hasCost && rate.permits() > bucket.burst() ? bucket.withBurst(rate.permits()) : bucket;
    }

    private TokenBucket tokenBucket(Limit.Named named, boolean hasCost) {
        TokenBucket bucket = usual(named, rate.orElseThrow(), hasCost);
        bucket = burst.isPresent() ? bucket.withBurst(burst.get()) : bucket;
        return maxWait.isPresent() ? bucket.withMaxWait(maxWait.get()) : bucket;
    }

    private LeakyBucket leakyBucket(Limit.Named named) {
        LeakyBucket bucket = named.leakyBucket(rate.orElseThrow());
        bucket = capacity.isPresent() ? bucket.withCapacity(capacity.get()) : bucket;
        return maxWait.isPresent() ? bucket.withMaxWait(maxWait.get()) : bucket;
    }

    private SlidingWindow slidingWindow(Limit.Named named) {
        SlidingWindow sliding = named.slidingWindow(limit.orElseThrow(), window.orElseThrow());
        sliding = slices.isPresent() ? sliding.withSlices(slices.get().intValue()) : sliding;
        return weighted.orElse(false) ? sliding.asEstimate() : sliding;
    }
}
