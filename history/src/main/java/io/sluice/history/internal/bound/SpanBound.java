package io.sluice.history.internal.bound;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Settlement;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The bound of sliding windows and logs: at most the limit in any span of the window's length. */
final class SpanBound extends IntervalBound {

    private static final class Entry {
        final long micros;
        final long chargedAtMicros;
        long permits;

        Entry(long micros, long chargedAtMicros) {
            this.micros = micros;
            this.chargedAtMicros = chargedAtMicros;
        }
    }

    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private final Map<Long, Entry> byCharge = new HashMap<>();
    private long sum;

    @Override
    public void reset() {
        entries.clear();
        byCharge.clear();
        sum = 0;
    }

    @Override
    public void seen(Limit limit, long nowMicros) {
        if (limit.sliceMicros() == 0) {
            // A refusal makes a long log forget expired charges, even if time then steps back.
            passTo(nowMicros, limit);
        }
    }

    @Override
    @Nullable
    String add(Admission admission) {
        Limit limit = admission.limit();
        if (limit.weighted()) {
            reset();
            return null;
        }
        long at = admission.chargedAtMicros();
        passTo(orLast(at), limit);
        add(at, admission.permits());
        String wrong = judge(admission);
        if (wrong != null) {
            reset();
        }
        return wrong;
    }

    private void add(long at, long permits) {
        Entry entry = byCharge.get(at);
        if (entry == null) {
            entry = new Entry(orLast(at), at);
            entries.addLast(entry);
            byCharge.put(at, entry);
        }
        entry.permits += permits;
        sum += permits;
    }

    /** Returns a time, or the time of the last entry if it is later. */
    private long orLast(long micros) {
        return entries.isEmpty() ? micros : Math.max(micros, entries.getLast().micros);
    }

    private @Nullable String judge(Admission admission) {
        return sum > admission.room()
                ? "%d admitted within %d us (expected: %s)"
                        .formatted(sum, admission.limit().windowMicros(), admission.allowed(""))
                : null;
    }

    @Override
    @Nullable
    String pass(Admission admission) {
        Limit limit = admission.limit();
        if (limit.weighted()) {
            return null;
        }
        passTo(orLast(admission.chargedAtMicros()), limit);
        return judge(admission);
    }

    /**
     * Charges permits. A slice may count for a little longer than its permits count here, so the time of the charge is not
     * always known.
     */
    @Override
    void charged(Settlement settlement, long permits, long nowMicros) {
        Limit limit = settlement.limit();
        if (limit.weighted()) {
            reset();
            return;
        }
        passTo(orLast(nowMicros), limit);
        Entry reserved = byCharge.get(settlement.chargedAtMicros());
        long over = settlement.chargedAtMicros() + limit.windowMicros();
        long rest = 2 * limit.sliceMicros();
        if (reserved != null) {
            reserved.permits += permits;
            sum += permits;
        } else if (over + rest <= nowMicros) {
            add(nowMicros, permits);
        }
    }

    @Override
    void giveBack(Limit limit, long permits, long chargedAtMicros, long nowMicros) {
        Entry entry = byCharge.get(chargedAtMicros);
        if (entry != null && entry.permits >= permits) {
            entry.permits -= permits;
            sum -= permits;
        } else if (permits > 0) {
            // If time stepped back meanwhile, its slice may hold other charges by now.
            reset();
        }
        while (!entries.isEmpty() && entries.getLast().permits == 0) {
            Entry last = entries.removeLast();
            byCharge.remove(last.chargedAtMicros, last);
        }
        // A refund makes the store forget expired charges, even if time then steps back.
        passTo(nowMicros, limit);
    }

    /** Drops the entries that no span which ends now or later can contain. */
    private void passTo(long micros, Limit limit) {
        while (!entries.isEmpty() && entries.getFirst().micros <= micros - limit.windowMicros()) {
            Entry old = entries.removeFirst();
            sum -= old.permits;
            byCharge.remove(old.chargedAtMicros, old);
        }
    }
}
