package io.sluice.runtime.durable;

import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time of the store, as its last answer told it. Thread-safe; never waits.
 *
 * <p>Windows begin and end by the clock of the store. A process whose own clock is a day ahead would drop sums that still count, and then
 * begin them anew under the same name.
 */
final class StoreTime {

    /** A later answer replaces this one after this time. Decisions cost less if not each of them does. */
    private static final Duration FRESH = Duration.ofSeconds(1);

    /** After this time somebody should ask the store. */
    private static final Duration OLD = Duration.ofMinutes(1);

    private final Clock clock;
    private volatile @Nullable Seen last;

    StoreTime(Clock clock) {
        this.clock = clock;
    }

    private record Seen(long storeMicros, long nanos) {}

    /** Records an answer of the store. */
    void saw(long storeMicros) {
        Seen seen = last;
        long now = clock.nanoTime();
        if (seen == null || now - seen.nanos > FRESH.toNanos()) {
            last = new Seen(storeMicros, now);
        }
    }

    /** Returns whether the store has told no time, or long ago. */
    boolean isOld() {
        Seen seen = last;
        return seen == null || clock.nanoTime() - seen.nanos > OLD.toNanos();
    }

    boolean isKnown() {
        return last != null;
    }

    /** Returns microseconds since the epoch; by the clock of this process as long as the store has told no time. */
    long nowMicros() {
        Seen seen = last;
        return seen == null
                ? clock.epochMicros()
                : seen.storeMicros + TimeUnit.NANOSECONDS.toMicros(clock.nanoTime() - seen.nanos);
    }
}
