package io.sluice.core.limit;

import io.sluice.core.internal.Expect;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * Allows at most {@code limit} permits in flight at one time. Each permit is held until it is returned. If its holder has died,
 * it expires {@code ttl} after it was granted or last renewed. Immutable.
 */
public record Concurrency(String name, long limit, Duration ttl) implements Limit {

    /** The maximum number of permits in flight. It is bounded because each holder is stored. */
    public static final long MAX_LIMIT = 100_000;

    public Concurrency {
        name = new Named(name).name();
        Expect.range("limit", limit, 0, MAX_LIMIT);
        Expect.micros("ttl", Objects.requireNonNull(ttl, "ttl"));
    }

    static Concurrency of(String name, ParameterValues values) {
        return new Concurrency(
                name, values.get(Parameter.LIMIT, Long.class), values.get(Parameter.TTL, Duration.class));
    }

    @Override
    public Algorithm kind() {
        return Algorithm.CONCURRENCY;
    }

    @Override
    public Map<Parameter, Object> parameters() {
        Map<Parameter, Object> values = new EnumMap<>(Parameter.class);
        values.put(Parameter.LIMIT, limit);
        values.put(Parameter.TTL, ttl);
        return values;
    }

    @Override
    public String shape() {
        return kind().code();
    }

    @Override
    public long capacity() {
        return limit;
    }

    /** Returns the time after which a permit expires. */
    @Override
    public long windowMicros() {
        return Expect.micros("ttl", ttl);
    }

    @Override
    public Concurrency scaled(double share) {
        Expect.share(share);
        return new Concurrency(name, LimitShare.of(limit, share), ttl);
    }

    @Override
    public String toString() {
        return name + " (concurrency " + limit + ")";
    }
}
