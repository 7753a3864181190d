package io.sluice.node.gateway.proxy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks all deadlines of an event loop with one timer, to within {@link #TICK}. Each event loop has its own deadlines and is the only
 * thread to use them.
 */
public final class Deadlines {

    public static final Duration TICK = Duration.ofMillis(100);

    private static final long TICK_MILLIS = TICK.toMillis();

    private final List<Timed> all = new ArrayList<>();
    private long now;

    /** A task that checks the time at every tick. */
    public abstract static class Timed {

        private int place = -1;

        /** Called at every tick. It may add and remove tasks. */
        public abstract void tick(long now);
    }

    /** Returns the number of ticks so far. */
    public long now() {
        return now;
    }

    /** Returns the number of ticks that last at least this long. */
    public static long ticks(Duration duration) {
        // Called for each request. Duration divides through decimals, which took a tenth of the time of a request.
        long nanos = duration.getNano();
        long millis = duration.getSeconds() * 1_000 + (nanos + 999_999) / 1_000_000;
        return (millis + TICK_MILLIS - 1) / TICK_MILLIS;
    }

    public void add(Timed timed) {
        timed.place = all.size();
        all.add(timed);
    }

    /** Removes a task; does nothing if the task is not present. */
    public void remove(Timed timed) {
        int place = timed.place;
        if (place < 0) {
            return;
        }
        timed.place = -1;
        Timed last = all.remove(all.size() - 1);
        if (last != timed) {
            all.set(place, last);
            last.place = place;
        }
    }

    /** Iterates backwards, so that a removal moves only tasks that have already been checked. */
    public void tick() {
        now++;
        for (int i = all.size() - 1; i >= 0; i--) {
            if (i < all.size()) {
                all.get(i).tick(now);
            }
        }
    }
}
