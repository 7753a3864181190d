package io.sluice.core.local;

import io.sluice.core.spi.CountKey;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.SettlementResult.Kind;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/**
 * The settlements that can still be repeated, so that each changes its count once. Thread-safe.
 *
 * <p>The number of settlements is bounded. Each new settlement checks a few old settlements and drops those that can no longer be repeated.
 * If the bound is reached nevertheless, new settlements are not made and their reservations stay charged, because a settlement that is not
 * stored might be made twice. Threads that arrive at the bound together may exceed it by their number.
 */
final class SettlementTable {

    private static final int LOOKS_PER_SETTLEMENT = 2;
    private static final int LOOKS_WHEN_FULL = 16;

    private final ConcurrentHashMap<Id, Entry> entries = new ConcurrentHashMap<>();
    private final long bound;
    private Iterator<Map.Entry<Id, Entry>> cursor = Collections.emptyIterator();

    private record Id(CountKey count, String id) {}

    private record Entry(long actual, long change, long untilMicros) {}

    /**
     * Creates an empty table.
     *
     * @param bound the maximum number of stored settlements
     */
    SettlementTable(long bound) {
        this.bound = bound;
    }

    /**
     * Settles a reservation, unless it was settled before.
     *
     * @param change changes the count and returns the permits that it charged; negative if it gave permits back
     */
    SettlementResult once(Settlement settlement, long nowMicros, ToLongFunction<Settlement> change) {
        if (!settlement.isDue(nowMicros)) {
            return SettlementResult.UNKNOWN;
        }
        boolean full = isFull(nowMicros);
        SettlementResult[] result = {SettlementResult.UNKNOWN};
        Id id = new Id(CountKey.of(settlement.limit(), settlement.key()), settlement.id());
        Entry unused = entries.compute(id, (same, known) -> {
            if (known != null && known.untilMicros >= nowMicros) {
                result[0] = known.actual == settlement.actual()
                        ? new SettlementResult(Kind.REPEATED, known.change)
                        : SettlementResult.CONFLICT;
                return known;
            }
            if (full) {
                return null;
            }
            long changed = change.applyAsLong(settlement);
            result[0] = new SettlementResult(Kind.SETTLED, changed);
            return new Entry(settlement.actual(), changed, settlement.chargedAtMicros() + settlement.withinMicros());
        });
        return result[0];
    }

    /** Forgets the settlements of keys that match. */
    void forget(KeyMatch match) {
        entries.keySet().removeIf(id -> id.count.isOf(match));
    }

    /** Returns the number of stored settlements. */
    long size() {
        return entries.mappingCount();
    }

    private boolean isFull(long nowMicros) {
        sweep(entries.mappingCount() >= bound ? LOOKS_WHEN_FULL : LOOKS_PER_SETTLEMENT, nowMicros);
        return entries.mappingCount() >= bound;
    }

    private synchronized void sweep(int looks, long nowMicros) {
        for (int i = 0; i < looks; i++) {
            if (!cursor.hasNext()) {
                cursor = entries.entrySet().iterator();
            }
            if (!cursor.hasNext()) {
                return;
            }
            Map.Entry<Id, Entry> entry = cursor.next();
            if (entry.getValue().untilMicros < nowMicros) {
                entries.remove(entry.getKey(), entry.getValue());
            }
        }
    }
}
