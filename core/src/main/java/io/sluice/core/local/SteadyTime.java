package io.sluice.core.local;

import io.sluice.core.time.Clock;
import java.util.function.LongSupplier;

/**
 * The wall clock at the start plus what the monotonic clock has moved since, in microseconds since the epoch: never steps
 * back. Immutable.
 */
final class SteadyTime implements LongSupplier {

    final Clock clock;
    final long startMicros;
    final long startNanos;

    public SteadyTime(Clock clock) {
        this.clock = clock;
        this.startMicros = clock.epochMicros();
        this.startNanos = clock.nanoTime();
    }

    @Override
    public long getAsLong() {
        return startMicros + (clock.nanoTime() - startNanos) / 1_000;
    }
}
