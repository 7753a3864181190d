package io.sluice.core.internal;

import io.sluice.core.Limit;
import io.sluice.core.algorithm.Count;
import io.sluice.core.algorithm.StepBack;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Decided;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The counts of one process. A decision locks all its counts, in one order for everybody, reads the time once they are its
 * own, and charges all or none.
 *
 * <p>A count that has aged to what a new one would be is dropped: each new count pays for a look at two old ones, so the
 * table holds at most about twice the counts that matter and nobody ever pauses for a sweep.
 */
public final class CellTable {

    private static final int LOOKS_PER_NEW_COUNT = 2;
    private static final int TOO_FEW_TO_SWEEP = 1_024;
    private static final Comparator<Cell> LOCK_ORDER = Comparator.comparingLong(cell -> cell.order);

    private final ConcurrentHashMap<CountKey, Cell> cells = new ConcurrentHashMap<>();
    private final AtomicLong orders = new AtomicLong();
    private final ReentrantLock sweeping = new ReentrantLock();
    private final LongSupplier micros;
    private Iterator<java.util.Map.Entry<CountKey, Cell>> sweep =
            cells.entrySet().iterator();

    /**
     * An empty table.
     *
     * @param micros the time, in microseconds since the epoch
     */
    public CellTable(LongSupplier micros) {
        this.micros = micros;
    }

    /** Decides the ask. */
    public Decided decide(Ask ask) {
        List<Demand> demands = ask.demands();
        Cell[] mine = new Cell[demands.size()];
        Cell[] inOrder;
        int created = 0;
        do {
            for (int i = 0; i < mine.length; i++) {
                Limit limit = demands.get(i).limit();
                CountKey key = CountKey.of(limit, demands.get(i).key());
                Cell cell = cells.get(key);
                if (cell == null) {
                    cell = create(key, limit);
                    created++;
                }
                mine[i] = cell;
            }
            inOrder = mine.clone();
            Arrays.sort(inOrder, LOCK_ORDER);
        } while (!lock(inOrder));
        try {
            return decide(ask, mine, micros.getAsLong());
        } finally {
            unlock(inOrder, inOrder.length);
            // Not earlier: a decision must not sweep away the counts that it has just found.
            sweepUpTo(LOOKS_PER_NEW_COUNT * created);
        }
    }

    /** Gives back what still counts. */
    public void giveBack(Charge charge) {
        onCount(charge, count -> {
            count.giveBack(charge, micros.getAsLong());
            return true;
        });
    }

    /** Renews a permit that is held; false if it is not. */
    public boolean renew(Charge charge) {
        return onCount(charge, count -> count.renew(charge, micros.getAsLong()));
    }

    /** What {@code action} says of the count of a charge; false if there is none. */
    private boolean onCount(Charge charge, Predicate<Count> action) {
        Cell cell = cells.get(CountKey.of(charge.limit(), charge.key()));
        if (cell == null) {
            return false;
        }
        cell.lock.lock();
        try {
            return !cell.dead && action.test(cell.count);
        } finally {
            cell.lock.unlock();
        }
    }

    /** How many counts are held. */
    public long size() {
        return cells.mappingCount();
    }

    private static Decided decide(Ask ask, Cell[] mine, long nowMicros) {
        List<Demand> demands = ask.demands();
        long[] grants = new long[mine.length];
        boolean allowed = true;
        for (int i = 0; i < mine.length; i++) {
            grants[i] = mine[i].count.grant(demands.get(i), nowMicros);
            allowed &= grants[i] > 0;
        }
        boolean charged = allowed && ask.charges();
        List<Verdict> verdicts = new ArrayList<>(mine.length);
        for (int i = 0; i < mine.length; i++) {
            verdicts.add(mine[i].count.verdict(demands.get(i), grants[i], charged, nowMicros));
            if (charged) {
                mine[i].count.charge(demands.get(i), grants[i], nowMicros);
            } else if (ask.charges()) {
                mine[i].count.refuse(nowMicros);
            }
        }
        return new Decided(allowed, verdicts, nowMicros, null);
    }

    private Cell create(CountKey key, Limit limit) {
        return cells.computeIfAbsent(key, k -> new Cell(orders.getAndIncrement(), Count.of(limit)));
    }

    private static boolean lock(Cell[] inOrder) {
        for (int i = 0; i < inOrder.length; i++) {
            inOrder[i].lock.lock();
            if (inOrder[i].dead) {
                unlock(inOrder, i + 1);
                return false;
            }
        }
        return true;
    }

    private static void unlock(Cell[] inOrder, int count) {
        for (int i = 0; i < count; i++) {
            inOrder[i].lock.unlock();
        }
    }

    private void sweepUpTo(int looks) {
        if (looks == 0 || cells.mappingCount() < TOO_FEW_TO_SWEEP || !sweeping.tryLock()) {
            return;
        }
        try {
            for (int i = 0; i < looks; i++) {
                if (!sweep.hasNext()) {
                    sweep = cells.entrySet().iterator();
                    return;
                }
                var entry = sweep.next();
                dropIfUnused(entry.getKey(), entry.getValue());
            }
        } finally {
            sweeping.unlock();
        }
    }

    private void dropIfUnused(CountKey key, Cell cell) {
        if (cell.lock.tryLock()) {
            try {
                // Unused even if time should step back by what is clamped.
                long past = micros.getAsLong() - StepBack.CLAMPED_MICROS;
                if (!cell.dead && cell.count.isUnused(past)) {
                    cell.dead = true;
                    cells.remove(key, cell);
                }
            } finally {
                cell.lock.unlock();
            }
        }
    }
}
