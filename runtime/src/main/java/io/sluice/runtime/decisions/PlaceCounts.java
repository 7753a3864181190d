package io.sluice.runtime.decisions;

import java.util.concurrent.atomic.LongAdder;

/** The number of decisions that reached a place, and the number dropped on the way. Thread-safe. */
public final class PlaceCounts {

    private final String place;
    private final LongAdder logged = new LongAdder();
    private final LongAdder dropped = new LongAdder();

    PlaceCounts(String place) {
        this.place = place;
    }

    /** Returns the name of the place in metrics: {@code file}, {@code kafka} or {@code center}. */
    public String place() {
        return place;
    }

    /** Returns the number of decisions that reached the place. */
    public long logged() {
        return logged.sum();
    }

    /** Returns the number of decisions that were dropped because the place or the way to it had no room, or failed. */
    public long dropped() {
        return dropped.sum();
    }

    void addLogged(long count) {
        logged.add(count);
    }

    void addDropped(long count) {
        dropped.add(count);
    }
}
