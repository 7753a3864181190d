package io.sluice.core.local;

import io.sluice.core.time.Clock;
import java.util.function.LongSupplier;

/**
 * The wall clock at the start plus what the monotonic clock has moved since, in microseconds since the epoch: never steps
 * back. Immutable.
 */
final class SteadyTime implements LongSupplier {

    private final Clock clock;
    private final long startNanos;
    final long startMicros;

    public SteadyTime(Clock clock) {
        this.clock = clock;
        this.startMicros = clock.epochMicros();
        this.startNanos = clock.nanoTime();
    }

    @Override
    public long getAsLong() {
        return startMicros + elapsedMicros();
    }

    /** Since the start. */
    long elapsedMicros() {
        return (clock.nanoTime() - startNanos) / 1_000;
    }
}
