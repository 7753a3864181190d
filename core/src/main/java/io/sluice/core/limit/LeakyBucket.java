package io.sluice.core.limit;

import io.sluice.core.internal.Expect;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue that drains at {@code rate}. Each request gets its own time slot and waits for it, so that traffic is spread evenly.
 * A request is refused if more than {@code capacity} permits would wait, or if its slot is later than {@code maxWait}.
 * Immutable.
 *
 * <p>Slots are never handed out faster than the rate: in any span of t, at most {@code 1 + rate × t} requests of one permit
 * have their slot. Rounding is the same as in {@link TokenBucket}.
 */
public final class LeakyBucket implements Limit {

    private final String name;
    private final Rate rate;
    private final long waiting;
    private final long maxWaitMicros;
    private final Pace pace;
    private final int hash;

    LeakyBucket(String name, Rate rate, long waiting, @Nullable Long maxWaitMicros) {
        this.name = name;
        this.rate = Objects.requireNonNull(rate, "rate");
        this.waiting = Expect.range("capacity", waiting, 0, MAX_CAPACITY - 1);
        this.pace = Pace.of(rate.permits(), rate.perMicros());
        this.maxWaitMicros = maxWaitMicros != null
                ? maxWaitMicros
                : pace.isZero() ? 0 : Math.min(Expect.LONGEST_MICROS, pace.microsFor(waiting, 0));
        this.hash = Objects.hash(name, rate, waiting, this.maxWaitMicros);
    }

    static LeakyBucket of(String name, ParameterValues values) {
        Rate rate = values.get(Parameter.RATE, Rate.class);
        long waiting = values.get(Parameter.CAPACITY, rate.permitsPerSecond(), Long.class);
        LeakyBucket usual = new LeakyBucket(name, rate, waiting, null);
        return values.has(Parameter.MAX_WAIT)
                ? usual.withMaxWait(values.get(Parameter.MAX_WAIT, Duration.class))
                : usual;
    }

    /**
     * Returns this limit with room for {@code waiting} permits. The maximum wait becomes the time to drain them; with 0, no
     * request waits.
     */
    public LeakyBucket withCapacity(long waiting) {
        return new LeakyBucket(name, rate, waiting, null);
    }

    /** Returns this limit with another maximum wait. */
    public LeakyBucket withMaxWait(Duration maxWait) {
        return new LeakyBucket(name, rate, waiting, Expect.wait("maxWait", maxWait));
    }

    @Override
    public Rate rate() {
        return rate;
    }

    /** Returns the number of permits that may wait for their slot. */
    public long waiting() {
        return waiting;
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
        return Algorithm.LEAKY_BUCKET;
    }

    @Override
    public Map<Parameter, Object> parameters() {
        Map<Parameter, Object> values = new EnumMap<>(Parameter.class);
        values.put(Parameter.RATE, rate);
        values.put(Parameter.CAPACITY, waiting);
        values.put(Parameter.MAX_WAIT, Duration.of(maxWaitMicros, ChronoUnit.MICROS));
        return values;
    }

    @Override
    public String shape() {
        return kind().code();
    }

    /** Returns the number of permits that may wait, plus one for the permit that passes. */
    @Override
    public long capacity() {
        return pace.isZero() ? 0 : waiting + 1;
    }

    @Override
    public long windowMicros() {
        return pace.isZero() ? 0 : pace.microsFor(waiting, 0);
    }

    @Override
    public long maxWaitMicros() {
        return maxWaitMicros;
    }

    @Override
    public LeakyBucket scaled(double share) {
        Expect.share(share);
        Rate part = pace.isZero() ? rate : LimitShare.of(rate, share);
        return new LeakyBucket(name, part, waiting == 0 ? 0 : LimitShare.of(waiting, share), maxWaitMicros);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LeakyBucket that
                && name.equals(that.name)
                && rate.equals(that.rate)
                && waiting == that.waiting
                && maxWaitMicros == that.maxWaitMicros;
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return name + " (leaky_bucket " + rate + ", capacity " + waiting + ")";
    }
}
