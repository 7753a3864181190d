package io.sluice.core.local;

import io.sluice.core.internal.Expect;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.CountKey;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Direct access to the counts of one limit, without an {@link Ask}. A {@link PackedBucket} is decided directly, by one compare-and-set. The
 * engine decides all other limits.
 */
abstract sealed class LimitHandle permits LocalGate, LocalGates, Buckets {

    private final LocalCounts counts;
    private final Limit limit;
    private final CountSeries series;

    /** The packed form of the limit; null if it is not a token bucket, or needs more than a word. */
    private final @Nullable PackedBucket packed;

    /** A copy of the clock of {@link #packed}. Without it, the clock is read three loads later, and a decision takes 11 % longer. */
    private final Clock clock;

    private final long startNanos;

    LimitHandle(LocalCounts counts, Limit limit, LocalCounts.RegisteredLimit registered) {
        this(counts, limit, registered.series(), registered.packed());
    }

    LimitHandle(LocalCounts counts, Limit limit, CountSeries series, @Nullable PackedBucket packed) {
        this.counts = counts;
        this.limit = limit;
        this.series = series;
        this.packed = packed;
        this.clock = packed == null ? Clock.system() : packed.time.clock;
        this.startNanos = packed == null ? 0 : packed.time.startNanos;
    }

    /** Decides for a key, on the cell that was found last for it. */
    final boolean tryPass(Cell.@Nullable Bucket found, String key, long permits) {
        requirePermits(permits);
        Cell.Bucket at = found;
        for (int spins = 0; at != null; spins++) {
            // Read the clock first: the following loads then run while the clock is read, instead of waiting before it.
            long elapsed = elapsedMicros();
            long used = at.take(permits, 0, elapsed);
            if (used >= 0) {
                return at.packed.fits(used, permits);
            }
            at = after(at, used, key, spins);
        }
        return decide(key, permits, 0, 0).allowed();
    }

    /**
     * Decides like {@link #tryPass}, and returns the remaining permits and the wait.
     *
     * @param keep the permits that must remain for other callers
     */
    final Verdict pass(Cell.@Nullable Bucket found, String key, long permits, long keep) {
        requirePermits(permits);
        Expect.range("keep", keep, 0, Limit.MAX_CAPACITY);
        long maxWaitMicros = limit.maxWaitMicros();
        Cell.Bucket at = maxWaitMicros > 0 ? null : found;
        for (int spins = 0; at != null; spins++) {
            long elapsed = elapsedMicros();
            long used = at.take(permits, keep, elapsed);
            if (used >= 0) {
                PackedBucket in = at.packed;
                boolean fits = in.fits(used, permits + keep);
                boolean kept = !fits && keep > 0 && in.fits(used, permits);
                long chargedAt = fits && at.isOverflow() ? Verdict.FINAL : in.time.startMicros + elapsed;
                return in.verdict(used, fits ? permits : 0, permits + keep, fits, chargedAt, kept);
            }
            at = after(at, used, key, spins);
        }
        return decide(key, permits, keep, maxWaitMicros).verdicts().get(0);
    }

    static void requirePermits(long permits) {
        Expect.range("permits", permits, 1, Limit.MAX_PERMITS);
    }

    /**
     * Returns the cell of a key, its own or an overflow cell. Returns null if it has no cell whose word has the same meaning
     * here.
     */
    Cell.@Nullable Bucket find(String key) {
        PackedBucket in = packed;
        if (in == null) {
            return null;
        }
        String own = CountKey.bounded(key);
        Cell.Bucket known = findOwn(in, own);
        if (known != null) {
            return known;
        }
        // Earlier numbers of this limit may have needed more than a word for this key.
        while (counts.cell(counts.registered(limit), limit, own, 0, true) instanceof Cell.Bucket found) {
            if (found.packed.agreesWith(in)) {
                return found;
            }
        }
        return null;
    }

    /** Returns the existing cell of a key, if its word has the same meaning here. */
    final Cell.@Nullable Bucket findOwn(PackedBucket in, String boundedKey) {
        return counts.find(series, boundedKey) instanceof Cell.Bucket known && known.packed.agreesWith(in)
                ? known
                : null;
    }

    final long elapsedMicros() {
        return (clock.nanoTime() - startNanos) / 1_000;
    }

    private Cell.@Nullable Bucket after(Cell.Bucket at, long word, String key, int spins) {
        Cell.pause(spins);
        return word == Cell.DEAD ? find(key) : at;
    }

    private EngineDecision decide(String key, long permits, long keep, long maxWaitMicros) {
        Demand demand =
                Demand.of(limit, key, permits).waitingUpTo(maxWaitMicros).keeping(keep);
        return counts.decide(Ask.charging(List.of(demand)));
    }
}
