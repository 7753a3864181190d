package io.sluice.core.limit;

import io.sluice.core.internal.Expect;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A bucket of {@code burst} permits that starts full and refills continuously at {@code rate}. Immutable.
 *
 * <p>In any span of t it grants at most {@code burst + rate × t}. Exact: only the rate is ever rounded, once, down, by less
 * than one part in 10<sup>9</sup>, and only if it cannot be written as a small fraction (see {@link Pace}).
 */
public final class TokenBucket implements Limit {

    private final String name;
    private final Rate rate;
    private final long burst;
    private final long maxWaitMicros;
    private final Pace pace;
    private final int hash;

    TokenBucket(String name, Rate rate, long burst, long maxWaitMicros) {
        this.name = name;
        this.rate = Objects.requireNonNull(rate, "rate");
        this.burst = Expect.range("burst", burst, 0, MAX_CAPACITY);
        this.pace = Pace.of(rate.permits(), rate.perMicros());
        this.maxWaitMicros = maxWaitMicros;
        this.hash = Objects.hash(name, rate, burst, maxWaitMicros);
    }

    static TokenBucket of(String name, ParameterValues values) {
        Rate rate = values.get(Parameter.RATE, Rate.class);
        long burst = values.get(Parameter.BURST, rate.permitsPerSecond(), Long.class);
        return new TokenBucket(name, rate, burst, 0)
                .withMaxWait(values.get(Parameter.MAX_WAIT, Duration.ZERO, Duration.class));
    }

    /** Returns this limit with another burst, 0 to 10<sup>12</sup>. A burst of 0 always refuses. */
    public TokenBucket withBurst(long burst) {
        return new TokenBucket(name, rate, burst, maxWaitMicros);
    }

    /**
     * Returns this limit for callers that can wait. Permits that will become available within {@code maxWait} are granted in
     * advance. With zero, the default, no permits are granted in advance.
     */
    public TokenBucket withMaxWait(Duration maxWait) {
        return new TokenBucket(name, rate, burst, Expect.wait("maxWait", maxWait));
    }

    @Override
    public Rate rate() {
        return rate;
    }

    /** Returns the maximum number of permits that the bucket holds, even if the rate is zero and none are granted. */
    public long burst() {
        return burst;
    }

    @Override
    public Pace pace() {
        return pace;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Algorithm kind() {
        return Algorithm.TOKEN_BUCKET;
    }

    @Override
    public Map<Parameter, Object> parameters() {
        Map<Parameter, Object> values = new EnumMap<>(Parameter.class);
        values.put(Parameter.RATE, rate);
        values.put(Parameter.BURST, burst);
        values.put(Parameter.MAX_WAIT, Duration.of(maxWaitMicros, ChronoUnit.MICROS));
        return values;
    }

    @Override
    public String shape() {
        return kind().code();
    }

    @Override
    public long capacity() {
        return rate.permits() == 0 ? 0 : burst;
    }

    @Override
    public long windowMicros() {
        return pace.isZero() ? 0 : pace.microsFor(burst, 0);
    }

    @Override
    public long maxWaitMicros() {
        return maxWaitMicros;
    }

    @Override
    public TokenBucket scaled(double share) {
        Expect.share(share);
        // Scaling the rate scales its time span, so that a third of 1/s becomes 1 in 3 s and not 0.
        Rate part = rate.permits() == 0 ? rate : LimitShare.of(rate, share);
        return new TokenBucket(name, part, LimitShare.of(burst, share), maxWaitMicros);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TokenBucket that
                && name.equals(that.name)
                && rate.equals(that.rate)
                && burst == that.burst
                && maxWaitMicros == that.maxWaitMicros;
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return name + " (token_bucket " + rate + ", burst " + burst + ")";
    }
}
