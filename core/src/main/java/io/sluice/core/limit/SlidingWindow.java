package io.sluice.core.limit;

import io.sluice.core.internal.DurationText;
import io.sluice.core.internal.Expect;
import java.time.Duration;
import java.util.Objects;

/**
 * At most {@code limit} permits in a window that moves with time, counted in {@code slices}. Immutable.
 *
 * <p>Strict, the default: the oldest slice, of which only a part is still in the window, counts in full. So no span of {@code
 * window} ever holds more than {@code limit}; a permit comes back after at most {@code window × (1 + 1/slices)}. Slices are
 * rounded up to whole microseconds.
 *
 * <p>Weighted: the oldest slice counts by the part of it that is still in the window, as if its permits had been spread evenly
 * over it. They need not be, so a true window may hold more than {@code limit}.
 */
public record SlidingWindow(String name, long limit, Duration window, int slices, boolean weighted) implements Limit {

    /** The most slices a window is cut into. */
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

    /** The same limit with its window cut into so many slices: more are truer and take more memory. */
    public SlidingWindow withSlices(int slices) {
        return new SlidingWindow(name, limit, window, slices, weighted);
    }

    /** The same limit with the estimate instead of the strict count. */
    public SlidingWindow asEstimate() {
        return new SlidingWindow(name, limit, window, slices, true);
    }

    /** The length of a slice. */
    public long sliceMicros() {
        return (windowMicros() + slices - 1) / slices;
    }

    @Override
    public String algorithm() {
        return "sliding_window";
    }

    /** How it estimates is a way of reading the counts; they survive its change. */
    @Override
    public String shape() {
        return "sw" + DurationText.text(windowMicros()) + "." + slices;
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
