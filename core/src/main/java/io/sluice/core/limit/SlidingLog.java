package io.sluice.core.limit;

import io.sluice.core.internal.DurationText;
import io.sluice.core.internal.Expect;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * Allows at most {@code limit} permits in every span of {@code window}. Exact: each admission is stored until it is
 * {@code window} old. Immutable.
 *
 * <p>A span includes its beginning but not its end, so an admission makes room for the next one exactly {@code window} later.
 * Memory grows with the admissions in the window, which is why {@code limit} is capped.
 */
public record SlidingLog(String name, long limit, Duration window) implements Limit {

    /** The largest limit. It is bounded because each admission is stored. */
    public static final long MAX_LIMIT = 100_000;

    public SlidingLog {
        name = new Named(name).name();
        Expect.range("limit", limit, 0, MAX_LIMIT);
        Expect.micros("window", Objects.requireNonNull(window, "window"));
    }

    static SlidingLog of(String name, ParameterValues values) {
        return new SlidingLog(
                name, values.get(Parameter.LIMIT, Long.class), values.get(Parameter.WINDOW, Duration.class));
    }

    @Override
    public Algorithm kind() {
        return Algorithm.SLIDING_LOG;
    }

    @Override
    public Map<Parameter, Object> parameters() {
        Map<Parameter, Object> values = new EnumMap<>(Parameter.class);
        values.put(Parameter.LIMIT, limit);
        values.put(Parameter.WINDOW, window);
        return values;
    }

    @Override
    public String shape() {
        return kind().code() + DurationText.text(windowMicros());
    }

    @Override
    public long capacity() {
        return limit;
    }

    @Override
    public long windowMicros() {
        return Expect.micros("window", window);
    }

    @Override
    public SlidingLog scaled(double share) {
        Expect.share(share);
        return new SlidingLog(name, LimitShare.of(limit, share), window);
    }

    @Override
    public String toString() {
        return name + " (sliding_log " + limit + " per " + DurationText.text(windowMicros()) + ")";
    }
}
