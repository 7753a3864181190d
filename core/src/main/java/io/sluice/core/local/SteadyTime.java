package io.sluice.core.local;

import io.sluice.core.time.Clock;
import java.util.function.LongSupplier;

/**
 * The wall clock at the start plus the time that the monotonic clock has advanced since, in microseconds since the epoch. It
 * never steps back. Immutable.
 */
final class SteadyTime implements LongSupplier {

    final Clock clock;
    final long startNanos;
    final long startMicros;

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
