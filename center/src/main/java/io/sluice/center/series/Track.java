package io.sluice.center.series;

import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.Latencies;
import io.sluice.runtime.data.PackReader;
import io.sluice.runtime.data.PackWriter;
import java.util.Arrays;

/**
 * The figures of one rule, one node or the fleet in steps of equal length. Not thread-safe.
 *
 * <p>A track is written by columns. A column with numbers in most steps is written as differences, because neighbours are
 * similar; other columns are written as pairs of a step and a number.
 */
final class Track {

    private static final int ALLOWED = 0;
    private static final int REFUSED = 1;
    private static final int SHADOW_REFUSED = 2;
    private static final int DEGRADED = 3;
    private static final int PEAK_ALLOWED = 4;
    private static final int PEAK_REFUSED = 5;
    private static final int COLUMNS = 6;

    private static final long[] UNUSED = new long[0];
    private static final Latencies[] NO_LATENCIES = new Latencies[0];

    /** The forms in which a column is written. */
    private static final int EMPTY = 0;

    private static final int DENSE = 1;
    private static final int SPARSE = 2;

    private final int slots;
    private final long[][] columns = new long[COLUMNS][];
    private Latencies[] latencies = NO_LATENCIES;

    Track(int slots) {
        this.slots = slots;
        Arrays.fill(columns, UNUSED);
    }

    /** Adds the decisions of a step that is one second. */
    void add(int slot, Figures figures, Latencies took) {
        add(ALLOWED, slot, figures.allowed());
        add(REFUSED, slot, figures.refused());
        add(SHADOW_REFUSED, slot, figures.shadowRefused());
        add(DEGRADED, slot, figures.degraded());
        if (!took.equals(Latencies.NONE)) {
            latencies()[slot] = latencies()[slot].plus(took);
        }
    }

    /** Replaces a step. */
    void set(int slot, SeriesSum sum) {
        set(ALLOWED, slot, sum.allowed());
        set(REFUSED, slot, sum.refused());
        set(SHADOW_REFUSED, slot, sum.shadowRefused());
        set(DEGRADED, slot, sum.degraded());
        set(PEAK_ALLOWED, slot, sum.peakAllowed());
        set(PEAK_REFUSED, slot, sum.peakRefused());
        if (latencies.length > 0 || !sum.latencies().equals(Latencies.NONE)) {
            latencies()[slot] = sum.latencies();
        }
    }

    /** Returns a step. */
    SeriesSum at(int slot) {
        return new SeriesSum(
                get(ALLOWED, slot),
                get(REFUSED, slot),
                get(SHADOW_REFUSED, slot),
                get(DEGRADED, slot),
                get(PEAK_ALLOWED, slot),
                get(PEAK_REFUSED, slot),
                latencies.length == 0 ? Latencies.NONE : latencies[slot]);
    }

    /** Returns a step of one second, which is its own peak. */
    SeriesSum second(int slot) {
        return new SeriesSum(
                get(ALLOWED, slot),
                get(REFUSED, slot),
                get(SHADOW_REFUSED, slot),
                get(DEGRADED, slot),
                get(ALLOWED, slot),
                get(REFUSED, slot),
                latencies.length == 0 ? Latencies.NONE : latencies[slot]);
    }

    /** Returns the sum of the seconds from one until before another. */
    SeriesSum seconds(int from, int until) {
        SeriesSum sum = SeriesSum.NONE;
        for (int slot = from; slot < until; slot++) {
            if (!isEmpty(slot)) {
                sum = sum.then(second(slot));
            }
        }
        return sum;
    }

    /** Returns the sum of all steps. */
    SeriesSum sum() {
        SeriesSum sum = SeriesSum.NONE;
        for (int slot = 0; slot < slots; slot++) {
            if (!isEmpty(slot)) {
                sum = sum.then(at(slot));
            }
        }
        return sum;
    }

    boolean isEmpty(int slot) {
        return get(ALLOWED, slot) == 0
                && get(REFUSED, slot) == 0
                && get(SHADOW_REFUSED, slot) == 0
                && get(DEGRADED, slot) == 0;
    }

    Track copy() {
        Track copy = new Track(slots);
        for (int i = 0; i < COLUMNS; i++) {
            copy.columns[i] = columns[i].length == 0 ? UNUSED : columns[i].clone();
        }
        copy.latencies = latencies.length == 0 ? NO_LATENCIES : latencies.clone();
        return copy;
    }

    void write(PackWriter pack) {
        for (long[] column : columns) {
            write(pack, column);
        }
        long used = Arrays.stream(latencies)
                .filter(each -> !each.equals(Latencies.NONE))
                .count();
        pack.number(used);
        for (int slot = 0; slot < latencies.length; slot++) {
            if (!latencies[slot].equals(Latencies.NONE)) {
                latencies[slot].write(pack.number(slot));
            }
        }
    }

    static Track read(PackReader pack, int slots) {
        Track track = new Track(slots);
        for (int i = 0; i < COLUMNS; i++) {
            track.columns[i] = column(pack, slots);
        }
        int used = pack.count();
        for (int i = 0; i < used; i++) {
            int slot = (int) pack.number(slots - 1L);
            track.latencies()[slot] = Latencies.read(pack);
        }
        return track;
    }

    static void write(PackWriter pack, long[] column) {
        int used = 0;
        for (long number : column) {
            used += number == 0 ? 0 : 1;
        }
        if (used == 0) {
            pack.number(EMPTY);
        } else if (used * 2 > column.length) {
            pack.number(DENSE);
            long before = 0;
            for (long number : column) {
                long difference = number - before;
                pack.number((difference << 1) ^ (difference >> 63));
                before = number;
            }
        } else {
            pack.number(SPARSE).number(used);
            for (int slot = 0; slot < column.length; slot++) {
                if (column[slot] != 0) {
                    pack.number(slot).number(column[slot]);
                }
            }
        }
    }

    static long[] column(PackReader pack, int slots) {
        int form = (int) pack.number(SPARSE);
        if (form == EMPTY) {
            return UNUSED;
        }
        long[] column = new long[slots];
        if (form == DENSE) {
            long before = 0;
            for (int slot = 0; slot < slots; slot++) {
                long zigzag = pack.number();
                before += (zigzag >>> 1) ^ -(zigzag & 1);
                column[slot] = requireNumber(before);
            }
        } else {
            int used = pack.count();
            for (int i = 0; i < used; i++) {
                column[(int) pack.number(slots - 1L)] = requireNumber(pack.number());
            }
        }
        return column;
    }

    private static long requireNumber(long number) {
        if (number < 0) {
            throw new IllegalArgumentException("packed data: a negative number (expected: 0 or more)");
        }
        return number;
    }

    private Latencies[] latencies() {
        if (latencies.length == 0) {
            latencies = new Latencies[slots];
            Arrays.fill(latencies, Latencies.NONE);
        }
        return latencies;
    }

    private long get(int column, int slot) {
        return columns[column].length == 0 ? 0 : columns[column][slot];
    }

    private void add(int column, int slot, long number) {
        set(column, slot, SeriesSum.add(get(column, slot), number));
    }

    private void set(int column, int slot, long number) {
        if (columns[column].length == 0) {
            if (number == 0) {
                return;
            }
            columns[column] = new long[slots];
        }
        columns[column][slot] = number;
    }
}
