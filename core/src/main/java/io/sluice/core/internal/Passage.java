package io.sluice.core.internal;

import io.sluice.core.Limit;
import io.sluice.core.algorithm.Pace;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Decided;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The way to one count, remembered. */
public final class Passage {

    private final LocalCounts counts;
    private final Limit limit;
    private final String key;
    private final @Nullable Meter meter;

    /** The cell last found; may have left the table since, and says so. */
    private Cell.@Nullable Bucket cell;

    public Passage(LocalCounts counts, Limit limit, String key) {
        this.counts = counts;
        this.limit = limit;
        this.key = key;
        // Slots that are handed out in advance are the business of the long way.
        this.meter = limit.maxWaitMicros() > 0 ? null : counts.file(limit).meter();
        Demand.of(limit, key, 1);
    }

    /** Whether so many permits may pass now; charges them if so. */
    public boolean tryPass(long permits) {
        Meter in = meter;
        if (in == null) {
            return decide(permits).allowed();
        }
        long cost = cost(in, permits);
        for (int spins = 0; ; spins++) {
            Cell.Bucket at = at(in);
            if (at == null) {
                return decide(permits).allowed();
            }
            long word = at.word();
            if (word >= 0) {
                long now = in.moment(counts.micros());
                long base = Math.max(word, now);
                if (base - now > in.capacity - cost) {
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

    /** The same, with what is left and how long to wait. */
    public Verdict pass(long permits) {
        Meter in = meter;
        if (in == null) {
            return decide(permits).verdicts().get(0);
        }
        long cost = cost(in, permits);
        boolean fits;
        long used;
        long micros;
        for (int spins = 0; ; spins++) {
            Cell.Bucket at = at(in);
            if (at == null) {
                return decide(permits).verdicts().get(0);
            }
            long word = at.word();
            if (word >= 0) {
                micros = counts.micros();
                long now = in.moment(micros);
                long base = Math.max(word, now);
                used = base - now;
                fits = used <= in.capacity - cost;
                if (!fits) {
                    break;
                }
                if (at.replaceWord(word, base + cost)) {
                    used += cost;
                    break;
                }
            } else {
                lost(word, spins);
            }
        }
        // One place where it is made, so that it need not be made at all where only its parts are used.
        return new Verdict(
                fits,
                fits ? permits : 0,
                Math.max(0, in.capacity - used) / in.per,
                fits ? 0 : cost > in.capacity ? Verdict.NEVER : micros(in, used + cost - in.capacity),
                micros(in, used),
                0,
                micros);
    }

    private Cell.@Nullable Bucket at(Meter in) {
        Cell.Bucket at = cell;
        return at != null ? at : find(in);
    }

    /** Null if other numbers of this limit, used before, needed more than a word for this key. */
    private Cell.@Nullable Bucket find(Meter in) {
        String own = CountKey.bounded(key);
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

    private Decided decide(long permits) {
        return counts.decide(Ask.charging(List.of(Demand.of(limit, key, permits))));
    }

    /** In the meter's units; what never fits costs more than everything. */
    private static long cost(Meter in, long permits) {
        if (permits < 1 || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 1.." + Limit.MAX_PERMITS + ")");
        }
        return permits <= in.limit.capacity() ? permits * in.per : in.capacity + 1;
    }

    private static long micros(Meter in, long units) {
        return Math.min(Pace.MAX_MICROS, in.flow == 1 ? units : (units + in.flow - 1) / in.flow);
    }
}
