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
 * Direct access to the counts of one limit, without an {@link Ask}. A {@link PackedBucket} is decided right here, by one
 * compare-and-set. The engine decides everything else.
 */
abstract sealed class LimitHandle permits LocalGate, LocalGates {

    private final LocalCounts counts;
    private final Limit limit;
    private final CountSeries series;

    /** Null if the limit is not a token bucket, or needs more than a word. */
    private final @Nullable PackedBucket packed;

    /** A copy of the clock of {@link #packed}. Without it, the clock is read three loads later, and a decision takes 11 % longer. */
    private final Clock clock;

    private final long startNanos;

    LimitHandle(LocalCounts counts, Limit limit) {
        this.counts = counts;
        this.limit = limit;
        this.series = counts.registered(limit).series();
        PackedBucket in = counts.registered(limit).packed();
        this.packed = in;
        this.clock = in == null ? Clock.system() : in.time.clock;
        this.startNanos = in == null ? 0 : in.time.startNanos;
    }

    /**
     * Decides for a key, on the cell that was last found for it. It has its own loop, although {@link #pass} does the same and
     * more: JDK 17 allocates a verdict that may also come from the engine, even if the verdict is not used.
     */
    final boolean tryPass(Cell.@Nullable Bucket found, String key, long permits) {
        Expect.range("permits", permits, 1, Limit.MAX_PERMITS);
        Cell.Bucket at = found;
        for (int spins = 0; at != null; spins++) {
            // Read the clock first: the loads that follow then run while the clock answers instead of waiting before
            // it.
            long elapsed = elapsedMicros();
            PackedBucket in = at.packed;
            long moment = in.momentAfter(elapsed);
            long word = at.word();
            if (word < 0) {
                at = after(at, word, key, spins);
            } else if (!in.fits(word, moment, permits)) {
                return false;
            } else if (at.replaceWord(word, in.charged(word, moment, permits))) {
                return true;
            }
        }
        return decide(key, permits, 0).allowed();
    }

    /** Decides like {@link #tryPass}, and returns what remains and how long to wait. */
    final Verdict pass(Cell.@Nullable Bucket found, String key, long permits) {
        Expect.range("permits", permits, 1, Limit.MAX_PERMITS);
        long maxWaitMicros = limit.maxWaitMicros();
        Cell.Bucket at = maxWaitMicros > 0 ? null : found;
        for (int spins = 0; at != null; spins++) {
            long elapsed = elapsedMicros();
            PackedBucket in = at.packed;
            long moment = in.momentAfter(elapsed);
            long word = at.word();
            if (word < 0) {
                at = after(at, word, key, spins);
                continue;
            }
            boolean fits = in.fits(word, moment, permits);
            if (!fits || at.replaceWord(word, in.charged(word, moment, permits))) {
                long chargedAt = fits && at.isOverflow() ? Verdict.FINAL : in.time.startMicros + elapsed;
                return in.verdict(PackedBucket.used(word, moment), fits ? permits : 0, permits, fits, chargedAt);
            }
        }
        return decide(key, permits, maxWaitMicros).verdicts().get(0);
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
        if (counts.find(series, own) instanceof Cell.Bucket known && known.packed == in) {
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

    private long elapsedMicros() {
        return (clock.nanoTime() - startNanos) / 1_000;
    }

    private Cell.@Nullable Bucket after(Cell.Bucket at, long word, String key, int spins) {
        Cell.pause(spins);
        return word == Cell.DEAD ? find(key) : at;
    }

    private EngineDecision decide(String key, long permits, long maxWaitMicros) {
        return counts.decide(Ask.charging(List.of(Demand.of(limit, key, permits).waitingUpTo(maxWaitMicros))));
    }
}
