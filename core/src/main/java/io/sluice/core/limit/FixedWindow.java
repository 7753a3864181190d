package io.sluice.core.limit;

import io.sluice.core.internal.DurationText;
import io.sluice.core.internal.Expect;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Allows at most {@code limit} permits in each window; the next window starts unused. Immutable.
 *
 * <p>Windows of a {@link Duration} follow each other from the epoch. Windows of the {@link Calendar} have the lengths of the
 * calendar in their zone, including days of 23 and 25 hours. Around a boundary, up to twice the limit may pass within one
 * window's length. If that matters, use {@link SlidingWindow}.
 */
public final class FixedWindow implements Limit {

    private static final ZoneId DEFAULT_ZONE = ZoneId.of("UTC");

    private final String name;
    private final long limit;
    private final String window;
    private final Windows windows;
    private final @Nullable Calendar calendar;
    private final @Nullable ZoneId zone;

    private FixedWindow(
            String name,
            long limit,
            String window,
            Windows windows,
            @Nullable Calendar calendar,
            @Nullable ZoneId zone) {
        this.name = name;
        this.limit = Expect.range("limit", limit, 0, MAX_CAPACITY);
        this.window = window;
        this.windows = windows;
        this.calendar = calendar;
        this.zone = zone;
    }

    static FixedWindow of(String name, long limit, Duration window) {
        long micros = Expect.micros("window", window);
        return new FixedWindow(name, limit, DurationText.text(micros), Windows.of(micros), null, null);
    }

    static FixedWindow of(String name, long limit, Calendar calendar, ZoneId zone) {
        String window = calendar.word() + " in " + zone.getId();
        return new FixedWindow(name, limit, window, Windows.of(calendar, zone), calendar, zone);
    }

    static FixedWindow of(String name, ParameterValues values) {
        long limit = values.get(Parameter.LIMIT, Long.class);
        if (values.has(Parameter.WINDOW) == values.has(Parameter.ALIGN)) {
            String found = values.has(Parameter.WINDOW) ? "align: set together with window" : "window: missing";
            throw new IllegalArgumentException(found + " (expected: either window or align)");
        }
        if (values.has(Parameter.WINDOW)) {
            return of(name, limit, values.get(Parameter.WINDOW, Duration.class));
        }
        Calendar calendar = values.get(Parameter.ALIGN, Calendar.class);
        return of(name, limit, calendar, values.get(Parameter.ZONE, DEFAULT_ZONE, ZoneId.class));
    }

    @Override
    public Windows windows() {
        return windows;
    }

    /** Returns the calendar window, or null if all windows have the same length. */
    public @Nullable Calendar calendar() {
        return calendar;
    }

    /** Returns the zone of the calendar, or null if all windows have the same length. */
    public @Nullable ZoneId zone() {
        return zone;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Algorithm kind() {
        return Algorithm.FIXED_WINDOW;
    }

    @Override
    public Map<Parameter, Object> parameters() {
        Map<Parameter, Object> values = new EnumMap<>(Parameter.class);
        values.put(Parameter.LIMIT, limit);
        if (calendar == null || zone == null) {
            values.put(Parameter.WINDOW, Duration.of(windowMicros(), ChronoUnit.MICROS));
        } else {
            values.put(Parameter.ALIGN, calendar);
            values.put(Parameter.ZONE, zone);
        }
        return values;
    }

    @Override
    public String shape() {
        return kind().code() + window.replace(" in ", "@").replace(':', '.');
    }

    @Override
    public long capacity() {
        return limit;
    }

    @Override
    public long windowMicros() {
        return windows.usualMicros();
    }

    @Override
    public FixedWindow scaled(double share) {
        Expect.share(share);
        return new FixedWindow(name, LimitShare.of(limit, share), window, windows, calendar, zone);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FixedWindow that
                && name.equals(that.name)
                && limit == that.limit
                && window.equals(that.window);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, limit, window);
    }

    @Override
    public String toString() {
        return name + " (fixed_window " + limit + " per " + window + ")";
    }
}
