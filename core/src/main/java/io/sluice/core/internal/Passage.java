package io.sluice.core.internal;

import io.sluice.core.Gate;
import io.sluice.core.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Decided;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way to one count, remembered. What a decision needs of the limit and the clock is kept right here: on this path a
 * few loads more are a tenth of the time.
 */
public final class Passage implements Gate {

    private final LocalCounts counts;
    private final Limit limit;
    private final String key;

    /** Null if the limit is no token bucket, or needs more than a word. */
    private final @Nullable Meter meter;

    private final Clock clock;
    private final long startNanos;
    private final long startMicros;
    private final long flow;
    private final long per;
    private final long capacity;
    private final long mostPermits;
    private final long maxWaitMicros;

    /** The cell last found; may have left the table since, and says so. */
    private Cell.@Nullable Bucket cell;

    public Passage(LocalCounts counts, Limit limit, String key) {
        Demand.of(limit, key, 1);
        this.counts = counts;
        this.limit = limit;
        this.key = key;
        this.maxWaitMicros = limit.maxWaitMicros();
        Meter in = counts.file(limit).meter();
        this.meter = in;
        this.clock = in == null ? Clock.system() : in.time.clock;
        this.startNanos = in == null ? 0 : in.time.startNanos;
        this.startMicros = in == null ? 0 : in.time.startMicros;
        this.flow = in == null ? 0 : in.flow;
        this.per = in == null ? 0 : in.per;
        this.capacity = in == null ? 0 : in.capacity;
        this.mostPermits = in == null ? 0 : Math.min(Limit.MAX_PERMITS, limit.capacity());
    }

    @Override
    public boolean tryPass(long permits) {
        long cost = cost(permits);
        for (int spins = 0; ; spins++) {
            Cell.Bucket at = at();
            if (at == null) {
                return decide(permits, 0).allowed();
            }
            long word = at.word();
            if (word >= 0) {
                long now = (clock.nanoTime() - startNanos) / 1_000 * flow;
                long base = Math.max(word, now);
                if (base - now > capacity - cost) {
                    return false;
                }
                if (at.replaceWord(word, base + cost)) {
                    return true;
                }
            } else {
                lost(word, spins);
            }
        }
    }

    @Override
    public Verdict pass(long permits) {
        long cost = cost(permits);
        for (int spins = 0; ; spins++) {
            Cell.Bucket at = maxWaitMicros > 0 ? null : at();
            if (at == null) {
                return decide(permits, maxWaitMicros).verdicts().get(0);
            }
            long word = at.word();
            if (word >= 0) {
                long elapsed = (clock.nanoTime() - startNanos) / 1_000;
                long now = elapsed * flow;
                long base = Math.max(word, now);
                boolean fits = base - now <= capacity - cost;
                if (!fits || at.replaceWord(word, base + cost)) {
                    return at.meter.verdict(base - now, fits ? permits : 0, permits, fits, startMicros + elapsed);
                }
            } else {
                lost(word, spins);
            }
        }
    }

    /** Null if the way over the cells is not open: the limit has no words, or not for this key. */
    private Cell.@Nullable Bucket at() {
        Cell.Bucket at = cell;
        return at != null ? at : find();
    }

    private Cell.@Nullable Bucket find() {
        Meter in = meter;
        if (in == null) {
            return null;
        }
        String own = CountKey.bounded(key);
        // Other numbers of this limit, used before, may have needed more than a word for this key.
        while (counts.cell(counts.file(in.limit), in.limit, own, 0) instanceof Cell.Bucket found) {
            if (found.meter.agreesWith(in)) {
                if (found.key.equals(own)) {
                    cell = found;
                } // else it is an overflow count, ours only until there is room
                return found;
            }
        }
        return null;
    }

    private void lost(long word, int spins) {
        if (word == Cell.DEAD) {
            cell = null;
        }
        Cell.pause(spins);
    }

    private Decided decide(long permits, long maxWaitMicros) {
        return counts.decide(Ask.charging(List.of(Demand.of(limit, key, permits).waitingUpTo(maxWaitMicros))));
    }

    /** In the meter's units; what never fits costs more than everything. */
    private long cost(long permits) {
        if (permits < 1 || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 1.." + Limit.MAX_PERMITS + ")");
        }
        return permits <= mostPermits ? permits * per : capacity + 1;
    }
}
