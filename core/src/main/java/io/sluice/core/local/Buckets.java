package io.sluice.core.local;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.CountKey;
import io.sluice.core.spi.Verdict;

/**
 * The token buckets of one limit, for a caller that builds its own answers. A decision returns a number, the used amount before
 * it; the rest of an answer follows from this number and is computed if it is needed. Does not allocate for a known key.
 * Thread-safe.
 */
public final class Buckets extends LimitHandle {

    /** The result of {@link #take} if the engine must decide, because the key has no bucket of its own yet. */
    public static final long UNDECIDED = -1;

    private final PackedBucket numbers;

    Buckets(LocalCounts counts, Limit limit, CountSeries series, PackedBucket numbers) {
        super(counts, limit, series, numbers);
        this.numbers = numbers;
    }

    public TokenBucket limit() {
        return numbers.limit;
    }

    /** Returns the time of the engine, in microseconds since the epoch. */
    public long nowMicros() {
        return numbers.time.startMicros + elapsedMicros();
    }

    /**
     * Charges the permits to a key if they fit. Returns the amount that was used before, in units of this limit, or {@link
     * #UNDECIDED}.
     */
    public long take(String key, long permits, long nowMicros) {
        requirePermits(permits);
        String own = CountKey.bounded(key);
        Cell.Bucket at = findOwn(numbers, own);
        for (int spins = 0; at != null; spins++) {
            long used = at.take(permits, 0, nowMicros - numbers.time.startMicros);
            if (used >= 0) {
                return used;
            }
            Cell.pause(spins);
            at = findOwn(numbers, own);
        }
        return UNDECIDED;
    }

    /** Returns whether the permits fitted if this amount was used before. */
    public boolean fits(long used, long permits) {
        return numbers.fits(used, permits);
    }

    /** Returns the verdict of a decision that found this used amount. */
    public Verdict verdict(long used, long permits, long nowMicros) {
        boolean fits = fits(used, permits);
        return numbers.verdict(used, fits ? permits : 0, permits, fits, nowMicros, false);
    }

    @Override
    public String toString() {
        return "buckets of " + numbers.limit;
    }
}
