package io.sluice.core.local;

import io.sluice.core.algorithm.Count;
import io.sluice.core.limit.Limit;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The cells of an engine, by series and key. Lookups take no lock; adding and removing lock one of many segments. Each segment
 * is an array with open addressing, so a cell costs its object and one or two references.
 *
 * <p>A {@code ConcurrentHashMap} would cost an entry of 32 bytes per cell and has no bound. A bounded cache such as Caffeine takes as much
 * time as a decision.
 *
 * <p>Callers may choose the keys, and can choose many keys with the same hash code. So a search checks a few slots after the slot of the
 * hash code and then continues at another slot, which depends on a hash of the whole key with this table's secret. Keys that collide on
 * purpose cost slightly more, but the cost does not grow with their number.
 *
 * <p>A count that has aged to the state of a new count is dropped. Each new count checks a few old counts, so no request ever pauses for a
 * full sweep. The number of cells is bounded: if the bound is reached and no count can be dropped, new keys get no cell.
 */
final class CellTable {

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Cell[].class);
    private static final int SEGMENTS = 64;
    private static final int SMALLEST = 16;
    /**
     * The length of the first search. It is long enough that ordinary keys almost never need the second search, and short enough to cost
     * almost nothing.
     */
    private static final int FIRST_PLACES = 32;

    private static final int LOOKS_PER_NEW_COUNT = 2;
    private static final int LOOKS_WHEN_FULL = 16;
    private static final int TOO_FEW_TO_SWEEP = 1_024;

    private final Segment[] segments = new Segment[SEGMENTS];
    private final AtomicLong size = new AtomicLong();
    private final AtomicInteger turn = new AtomicInteger();
    private final LongSupplier micros;
    private final long bound;
    private final long secret = new SecureRandom().nextLong() | 1;

    CellTable(LongSupplier micros, long bound) {
        this.micros = micros;
        this.bound = bound;
        for (int i = 0; i < SEGMENTS; i++) {
            segments[i] = new Segment();
        }
    }

    /** Creates the cell for a key that has no cell. */
    @FunctionalInterface
    interface Maker {
        Cell make();
    }

    long size() {
        return size.get();
    }

    boolean isFull() {
        return size.get() >= bound;
    }

    /** Returns the cell of a key, or null if there is none. */
    @Nullable
    Cell find(CountSeries series, String key) {
        int hash = series.hash(key);
        return segment(hash).find(hash, series, key);
    }

    /**
     * Returns the cell of a key and creates it if necessary, or returns null if there is no room for it.
     *
     * @param bounded whether the bound applies to a new cell
     * @param sweeps whether to make room by dropping other cells
     */
    @Nullable
    Cell findOrAdd(CountSeries series, String key, boolean bounded, boolean sweeps, Maker maker) {
        int hash = series.hash(key);
        return segment(hash).findOrAdd(hash, series, key, bounded, sweeps, maker);
    }

    /**
     * Replaces {@code cell}, which the caller has locked and which is dead afterwards, with {@code next}. Returns false if {@code cell} is
     * no longer in the table.
     */
    boolean replace(Cell cell, Cell next) {
        int hash = cell.series.hash(cell.key);
        return segment(hash).replace(hash, cell, next);
    }

    /**
     * Removes the cells that match and returns their number. A cell that another thread works on is tried again, without locking its
     * segment meanwhile, because the other thread may be about to replace the cell and needs the segment for that.
     */
    long removeIf(Predicate<Cell> leaves) {
        long removed = 0;
        for (Segment segment : segments) {
            int spins = 0;
            long more = segment.removeIf(leaves);
            while (more < 0) {
                removed += -more - 1;
                Cell.pause(spins++);
                more = segment.removeIf(leaves);
            }
            removed += more;
        }
        return removed;
    }

    private Segment segment(int hash) {
        return segments[hash >>> 26];
    }

    /** Returns the slot at which the search for a key continues. The multiplier is secret, so callers cannot craft keys for one slot. */
    private int secondPlace(Cell[] in, String key) {
        long mixed = secret;
        for (int i = 0; i < key.length(); i++) {
            mixed = (mixed ^ key.charAt(i)) * secret;
            mixed ^= mixed >>> 29;
        }
        return (int) (mixed >>> 20) & (in.length - 1);
    }

    /** Marks a slot that a cell has left; searches continue past it. */
    private static final Cell GONE = new Cell.Other(
            new CountSeries("", ""), "", Count.of(Limit.named("gone").fixedWindow(0, Duration.ofSeconds(1))));

    private final class Segment extends ReentrantLock {

        private static final long serialVersionUID = 1;

        private transient volatile Cell[] cells = new Cell[SMALLEST];
        private int live;
        private int gone;
        private int cursor;

        @Nullable
        Cell find(int hash, CountSeries series, String key) {
            Cell[] in = cells;
            int i = hash & (in.length - 1);
            for (int places = 0; ; places++) {
                if (places == FIRST_PLACES) {
                    i = secondPlace(in, key);
                }
                Cell cell = (Cell) SLOT.getAcquire(in, i);
                if (cell == null || (cell.series == series && cell.key.equals(key))) {
                    return cell;
                }
                i = (i + 1) & (in.length - 1);
            }
        }

        @Nullable
        Cell findOrAdd(int hash, CountSeries series, String key, boolean bounded, boolean sweeps, Maker maker) {
            lock();
            try {
                Cell cell = find(hash, series, key);
                if (cell != null) {
                    return cell;
                }
                if (sweeps && size.get() >= Math.min(bound, TOO_FEW_TO_SWEEP)) {
                    sweep(size.get() >= bound ? LOOKS_WHEN_FULL : LOOKS_PER_NEW_COUNT);
                }
                if (sweeps && size.get() >= bound) {
                    sweepElsewhere();
                }
                if (bounded && size.get() >= bound) {
                    return null;
                }
                if ((live + gone + 1) * 3 > cells.length * 2) {
                    rehash();
                }
                Cell added = maker.make();
                put(cells, hash, added);
                live++;
                size.incrementAndGet();
                return added;
            } finally {
                unlock();
            }
        }

        boolean replace(int hash, Cell cell, Cell next) {
            lock();
            try {
                Cell[] in = cells;
                int i = hash & (in.length - 1);
                for (int places = 0; ; places++) {
                    if (places == FIRST_PLACES) {
                        i = secondPlace(in, cell.key);
                    }
                    if (in[i] == cell) {
                        SLOT.setRelease(in, i, next);
                        return true;
                    }
                    if (in[i] == null) {
                        return false;
                    }
                    i = (i + 1) & (in.length - 1);
                }
            } finally {
                unlock();
            }
        }

        /**
         * Sweeps another segment, each in turn. If all slots of this segment are in use, other segments may have counts that have aged to
         * nothing.
         */
        private void sweepElsewhere() {
            Segment other = segments[turn.incrementAndGet() & (SEGMENTS - 1)];
            if (other != this && other.tryLock()) {
                try {
                    other.sweep(LOOKS_WHEN_FULL);
                } finally {
                    other.unlock();
                }
            }
        }

        private void sweep(int looks) {
            Cell[] in = cells;
            long now = micros.getAsLong();
            for (int i = 0; i < looks; i++) {
                cursor = (cursor + 1) & (in.length - 1);
                Cell cell = in[cursor];
                if (cell == null || cell == GONE) {
                    continue;
                }
                long word = cell.tryLock();
                if (word >= 0) {
                    boolean unused = cell.isUnused(word, now);
                    if (unused) {
                        SLOT.setRelease(in, cursor, GONE);
                        live--;
                        gone++;
                        size.decrementAndGet();
                    }
                    cell.unlock(unused ? Cell.DEAD : word);
                }
            }
        }

        /**
         * Removes the cells that match and are free. Returns their number; if a matching cell is not free, returns {@code -1} minus this
         * number.
         */
        long removeIf(Predicate<Cell> leaves) {
            lock();
            try {
                Cell[] in = cells;
                long removed = 0;
                boolean busy = false;
                for (int i = 0; i < in.length; i++) {
                    Cell cell = in[i];
                    if (cell == null || cell == GONE || !leaves.test(cell)) {
                        continue;
                    }
                    if (cell.tryLock() < 0) {
                        busy = true;
                        continue;
                    }
                    SLOT.setRelease(in, i, GONE);
                    live--;
                    gone++;
                    size.decrementAndGet();
                    cell.unlock(Cell.DEAD);
                    removed++;
                }
                return busy ? -1 - removed : removed;
            } finally {
                unlock();
            }
        }

        /** Copies the live cells to an array of the size that they need, without the removed cells. */
        private void rehash() {
            int length = SMALLEST;
            while ((live + 1) * 2 > length) {
                length *= 2;
            }
            Cell[] more = new Cell[length];
            for (Cell cell : cells) {
                if (cell != null && cell != GONE) {
                    put(more, cell.series.hash(cell.key), cell);
                }
            }
            gone = 0;
            cursor = 0;
            cells = more;
        }

        private void put(Cell[] into, int hash, Cell cell) {
            int i = hash & (into.length - 1);
            for (int places = 0; into[i] != null; ) {
                i = ++places == FIRST_PLACES ? secondPlace(into, cell.key) : (i + 1) & (into.length - 1);
            }
            SLOT.setRelease(into, i, cell);
        }
    }
}
