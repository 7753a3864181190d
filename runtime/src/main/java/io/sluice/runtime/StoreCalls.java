package io.sluice.runtime;

import io.sluice.core.time.Clock;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import io.sluice.runtime.data.Latencies;
import io.sluice.runtime.fleet.StoreHealth;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Measures the calls to the shared store, for the reports to the center. Thread-safe. A call costs one or two additions.
 *
 * <p>Calls are counted since the start of the process. Each reading keeps a copy of the counts; the difference to the copy of ten seconds
 * ago is the answer. A reading after a longer pause also covers that pause.
 */
public final class StoreCalls implements StoreListener {

    private static final long SPAN_NANOS = Duration.ofSeconds(10).toNanos();

    /** The minimum time between readings that are kept. */
    private static final long APART_NANOS = SPAN_NANOS / 20;

    /** The outcomes of calls that were answered. A late answer was not used, but its time shows how slow the store is. */
    private static final Set<String> ANSWERED = Set.of("ok", "late");

    private final Clock clock;
    private final StoreListener next;
    private final AtomicLongArray answers = new AtomicLongArray(Latencies.SPANS);
    private final LongAdder calls = new LongAdder();
    private final LongAdder errors = new LongAdder();

    /** Readings, oldest first. Guarded by this. */
    private final Deque<Reading> readings = new ArrayDeque<>();

    /** A copy of the counts at one moment. */
    private static final class Reading {

        private final long atNanos;
        private final long[] answers;
        private final long calls;
        private final long errors;

        Reading(long atNanos, long[] answers, long calls, long errors) {
            this.atNanos = atNanos;
            this.answers = answers;
            this.calls = calls;
            this.errors = errors;
        }
    }

    /**
     * Creates a measurement.
     *
     * @param next the listener that is also notified of everything
     */
    public StoreCalls(Clock clock, StoreListener next) {
        this.clock = clock;
        this.next = next;
        readings.add(read());
    }

    @Override
    public void called(String outcome, int decisions, long nanos) {
        calls.increment();
        if (ANSWERED.contains(outcome)) {
            answers.incrementAndGet(Latencies.span(nanos));
        }
        if (!outcome.equals("ok")) {
            errors.increment();
        }
        next.called(outcome, decisions, nanos);
    }

    @Override
    public void changed(StoreState state) {
        next.changed(state);
    }

    /** Returns the health of a Redis during the last ten seconds. */
    public synchronized StoreHealth lately() {
        Reading now = read();
        Reading since = readings.getFirst();
        // The period starts at the newest reading that is old enough.
        for (Reading next = second(); next != null && now.atNanos - next.atNanos >= SPAN_NANOS; next = second()) {
            readings.removeFirst();
            since = next;
        }
        if (now.atNanos - readings.getLast().atNanos >= APART_NANOS) {
            readings.addLast(now);
        }
        long[] counts = now.answers.clone();
        for (int span = 0; span < counts.length; span++) {
            counts[span] -= since.answers[span];
        }
        Latencies took = Latencies.of(counts);
        long ended = now.calls - since.calls;
        return new StoreHealth(
                StoreHealth.Kind.REDIS,
                took.micros(0.5),
                took.micros(0.99),
                ended,
                // A call that ends at this moment may be counted as an error and not yet as a call.
                Math.min(ended, now.errors - since.errors),
                clock.epochMicros() / 1_000);
    }

    private @Nullable Reading second() {
        return readings.stream().skip(1).findFirst().orElse(null);
    }

    private Reading read() {
        long[] counts = new long[Latencies.SPANS];
        for (int span = 0; span < counts.length; span++) {
            counts[span] = answers.get(span);
        }
        return new Reading(clock.nanoTime(), counts, calls.sum(), errors.sum());
    }
}
