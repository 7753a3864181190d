package io.sluice.core.limit;

import io.sluice.core.internal.DurationText;
import io.sluice.core.internal.Expect;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * Allows at most {@code limit} permits in a window that moves with time, counted in {@code slices}. Immutable.
 *
 * <p>Strict, the default: the oldest slice, which is only partly in the window, counts in full. So no span of {@code window}
 * ever holds more than {@code limit}, and a permit comes back after at most {@code window × (1 + 1/slices)}. Slices are rounded
 * up to whole microseconds.
 *
 * <p>Weighted: the oldest slice counts in proportion to the part of it that is still in the window, as if its permits had been
 * spread evenly over it. They may not have been, so an actual window may hold more than {@code limit}.
 */
public record SlidingWindow(String name, long limit, Duration window, int slices, boolean weighted) implements Limit {

    /** The largest number of slices in a window. */
    public static final int MAX_SLICES = 1_000;

    private static final int DEFAULT_SLICES = 10;

    public SlidingWindow {
        name = new Named(name).name();
        Expect.range("limit", limit, 0, MAX_CAPACITY);
        long micros = Expect.micros("window", Objects.requireNonNull(window, "window"));
        Expect.range("slices", slices, 1, Math.min(MAX_SLICES, micros));
    }

    static SlidingWindow of(String name, long limit, Duration window) {
        long micros = Expect.micros("window", window);
        return new SlidingWindow(name, limit, window, (int) Math.min(DEFAULT_SLICES, micros), false);
    }

    static SlidingWindow of(String name, ParameterValues values) {
        SlidingWindow usual =
                of(name, values.get(Parameter.LIMIT, Long.class), values.get(Parameter.WINDOW, Duration.class));
        long slices = values.get(Parameter.SLICES, (long) usual.slices, Long.class);
        return new SlidingWindow(
                name,
                usual.limit,
                usual.window,
                (int) Expect.range("slices", slices, 1, MAX_SLICES),
                values.get(Parameter.WEIGHTED, false, Boolean.class));
    }

    /** Returns this limit with its window divided into {@code slices}. More slices are more accurate and take more memory. */
    public SlidingWindow withSlices(int slices) {
        return new SlidingWindow(name, limit, window, slices, weighted);
    }

    /** Returns this limit with the weighted estimate instead of the strict count. */
    public SlidingWindow asEstimate() {
        return new SlidingWindow(name, limit, window, slices, true);
    }

    @Override
    public long sliceMicros() {
        return (windowMicros() + slices - 1) / slices;
    }

    @Override
    public Algorithm kind() {
        return Algorithm.SLIDING_WINDOW;
    }

    @Override
    public Map<Parameter, Object> parameters() {
        Map<Parameter, Object> values = new EnumMap<>(Parameter.class);
        values.put(Parameter.LIMIT, limit);
        values.put(Parameter.WINDOW, window);
        values.put(Parameter.SLICES, (long) slices);
        values.put(Parameter.WEIGHTED, weighted);
        return values;
    }

    /**
     * Returns the shape. It does not include {@code weighted}, which only changes the reading of the counts, so counts survive
     * its change.
     */
    @Override
    public String shape() {
        return kind().code() + DurationText.text(windowMicros()) + "." + slices;
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
    public SlidingWindow scaled(double share) {
        Expect.share(share);
        return new SlidingWindow(name, LimitShare.of(limit, share), window, slices, weighted);
    }

    @Override
    public String toString() {
        return name + " (sliding_window " + limit + " per " + DurationText.text(windowMicros())
                + (weighted ? ", weighted)" : ")");
    }
}
