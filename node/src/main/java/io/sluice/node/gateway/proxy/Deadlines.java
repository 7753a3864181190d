package io.sluice.node.gateway.proxy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What may not take forever, looked at by one timer instead of having one each: {@link #TICK} is how exact they are. One for each event
 * loop, for its thread alone.
 */
public final class Deadlines {

    public static final Duration TICK = Duration.ofMillis(100);

    private static final long TICK_MILLIS = TICK.toMillis();

    private final List<Timed> all = new ArrayList<>();
    private long now;

    /** Something that looks at the time now and then. */
    public abstract static class Timed {

        private int place = -1;

        /** A tick has passed. May add and remove. */
        public abstract void tick(long now);
    }

    /** In ticks since the beginning. */
    public long now() {
        return now;
    }

    /** So many ticks are at least as long. */
    public static long ticks(Duration duration) {
        // Of each request: Duration divides by way of decimals, which was a tenth of all the time that a request takes.
        long nanos = duration.getNano();
        long millis = duration.getSeconds() * 1_000 + (nanos + 999_999) / 1_000_000;
        return (millis + TICK_MILLIS - 1) / TICK_MILLIS;
    }

    public void add(Timed timed) {
        timed.place = all.size();
        all.add(timed);
    }

    /** No-op if it is not among them. */
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

    /** From the end: what is removed meanwhile moves only what was looked at. */
    public void tick() {
        now++;
        for (int i = all.size() - 1; i >= 0; i--) {
            if (i < all.size()) {
                all.get(i).tick(now);
            }
        }
    }
}
