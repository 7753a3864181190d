package io.sluice.core.local;

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
 * The way to the counts of one limit. What a decision needs of the limit and the clock is kept right here: on this path a few
 * loads more are a tenth of the time.
 */
abstract sealed class LimitHandle permits LocalGate, LocalGates {

    private final LocalCounts counts;
    private final Limit limit;
    private final CountSeries series;

    /** Null if the limit is no token bucket, or needs more than a word. */
    private final @Nullable PackedBucket packed;

    private final Clock clock;
    private final long startNanos;
    private final long startMicros;
    private final long flow;
    private final long per;
    private final long capacity;
    private final long mostPermits;
    private final long maxWaitMicros;

    LimitHandle(LocalCounts counts, Limit limit) {
        this.counts = counts;
        this.limit = limit;
        this.maxWaitMicros = limit.maxWaitMicros();
        this.series = counts.registered(limit).series();
        PackedBucket in = counts.registered(limit).packed();
        this.packed = in;
        this.clock = in == null ? Clock.system() : in.time.clock;
        this.startNanos = in == null ? 0 : in.time.startNanos;
        this.startMicros = in == null ? 0 : in.time.startMicros;
        this.flow = in == null ? 0 : in.flow;
        this.per = in == null ? 0 : in.per;
        this.capacity = in == null ? 0 : in.capacity;
        this.mostPermits = in == null ? 0 : Math.min(Limit.MAX_PERMITS, limit.capacity());
    }

    /** Decides for a key on the cell that was last found for it. */
    final boolean tryPass(Cell.@Nullable Bucket found, String key, long permits) {
        long cost = cost(permits);
        Cell.Bucket at = found;
        for (int spins = 0; ; spins++) {
            if (at == null) {
                return decide(key, permits, 0).allowed();
            }
            if (permits > mostPermits) {
                return false;
            }
            // The clock first: the loads that follow then do not wait in front of it, but while it answers.
            long now = (clock.nanoTime() - startNanos) / 1_000 * flow;
            long word = at.word();
            if (word >= 0) {
                if (word - (capacity - cost) > now) {
                    return false;
                }
                if (at.replaceWord(word, Math.max(word, now) + cost)) {
                    return true;
                }
            } else {
                at = after(at, word, key, spins);
            }
        }
    }

    /** The same, with what is left and how long to wait. */
    final Verdict pass(Cell.@Nullable Bucket found, String key, long permits) {
        long cost = cost(permits);
        Cell.Bucket at = maxWaitMicros > 0 ? null : found;
        for (int spins = 0; ; spins++) {
            if (at == null) {
                return decide(key, permits, maxWaitMicros).verdicts().get(0);
            }
            long elapsed = (clock.nanoTime() - startNanos) / 1_000;
            long now = elapsed * flow;
            long word = at.word();
            if (word >= 0) {
                boolean fits = permits <= mostPermits && word - (capacity - cost) <= now;
                if (!fits || at.replaceWord(word, Math.max(word, now) + cost)) {
                    long used = Math.max(word, now) - now;
                    long chargedAt = fits && at.isOverflow() ? Verdict.FINAL : startMicros + elapsed;
                    return at.packed.verdict(used, fits ? permits : 0, permits, fits, chargedAt);
                }
            } else {
                at = after(at, word, key, spins);
            }
        }
    }

    /** The cell of a key, its own or one of the overflow; null if it has none whose word means what it means here. */
    Cell.@Nullable Bucket find(String key) {
        PackedBucket in = packed;
        if (in == null) {
            return null;
        }
        String own = CountKey.bounded(key);
        if (counts.find(series, own) instanceof Cell.Bucket known && known.packed == in) {
            return known;
        }
        // Other numbers of this limit, used before, may have needed more than a word for this key.
        while (counts.cell(counts.registered(limit), limit, own, 0, true) instanceof Cell.Bucket found) {
            if (found.packed.agreesWith(in)) {
                return found;
            }
        }
        return null;
    }

    private Cell.@Nullable Bucket after(Cell.Bucket at, long word, String key, int spins) {
        Cell.pause(spins);
        return word == Cell.DEAD ? find(key) : at;
    }

    private EngineDecision decide(String key, long permits, long maxWaitMicros) {
        return counts.decide(Ask.charging(List.of(Demand.of(limit, key, permits).waitingUpTo(maxWaitMicros))));
    }

    /** In the units of the packed bucket; means something only if it can ever fit. */
    private long cost(long permits) {
        if (permits < 1 || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 1.." + Limit.MAX_PERMITS + ")");
        }
        return permits * per;
    }
}
