package io.sluice.runtime.durable;

import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time of the store, from its last answer. Thread-safe; never waits.
 *
 * <p>Windows start and end by the clock of the store. A process whose own clock is a day ahead would drop sums that still count, and then
 * start them again under the same name.
 */
final class StoreTime {

    /** The age after which a later answer replaces this one. Decisions cost less if they do not all replace it. */
    private static final Duration FRESH = Duration.ofSeconds(1);

    /** The age after which the store should be asked for its time. */
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

    /** Returns whether the time of the store is unknown or was received long ago. */
    boolean isOld() {
        Seen seen = last;
        return seen == null || clock.nanoTime() - seen.nanos > OLD.toNanos();
    }

    boolean isKnown() {
        return last != null;
    }

    /** Returns microseconds since the epoch; by the clock of this process as long as the time of the store is unknown. */
    long nowMicros() {
        Seen seen = last;
        return seen == null
                ? clock.epochMicros()
                : seen.storeMicros + TimeUnit.NANOSECONDS.toMicros(clock.nanoTime() - seen.nanos);
    }
}
