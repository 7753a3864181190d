package io.sluice.runtime.data;

import io.sluice.rules.caller.CallerMark;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;

/**
 * Counts of the refusals of callers: exact while there are few callers, and with a known error if there are many. Two sketches can be
 * merged. Not thread-safe.
 *
 * <p>The sketch is packed by this class, because the library's own format needs a part of the library that refuses to run on the
 * newest Java.
 */
public final class FrequentCallers {

    private static final char SEPARATOR = '\n';

    private final ItemsSketch<String> sketch;

    /** The sum of the errors of merged sketches. */
    private long forgotten;

    /**
     * A caller and how often it was refused.
     *
     * @param most the maximum number of refusals
     * @param error the maximum difference between this number and the true one
     */
    public record Frequency(CallerMark caller, long most, long error) {}

    /**
     * Creates a sketch without callers.
     *
     * @param size a power of two; up to three quarters of it are counted exactly
     */
    public FrequentCallers(int size) {
        this.sketch = new ItemsSketch<>(size);
    }

    public void add(CallerMark caller, long refusals) {
        if (refusals > 0) {
            sketch.update(caller.masked().replace(SEPARATOR, ' ') + SEPARATOR + caller.hash(), refusals);
        }
    }

    public void merge(FrequentCallers other) {
        other.counted().forEach(each -> add(each.caller, each.most - each.error));
        forgotten += other.error();
    }

    /** Returns the error: a reported number may be too high by this much, and a caller with up to this many refusals may be missing. */
    public long error() {
        return forgotten + sketch.getMaximumError();
    }

    /** Returns all known callers, those with the highest numbers first. */
    public List<Frequency> counted() {
        List<Frequency> all = new ArrayList<>();
        long error = error();
        for (ItemsSketch.Row<String> row : sketch.getFrequentItems(0, ErrorType.NO_FALSE_NEGATIVES)) {
            if (row.getLowerBound() > 0) {
                all.add(new Frequency(mark(row.getItem()), row.getLowerBound() + error, error));
            }
        }
        all.sort(Comparator.comparingLong(Frequency::most).reversed().thenComparing(each -> each.caller.hash()));
        return all;
    }

    private static CallerMark mark(String item) {
        int at = item.indexOf(SEPARATOR);
        return new CallerMark(item.substring(0, at), item.substring(at + 1));
    }

    public byte[] toBytes() {
        return new Counted(error(), counted()).toBytes();
    }

    /**
     * Reads what {@link #toBytes} writes.
     *
     * @param size the size of the new sketch, as in the constructor
     * @throws IllegalArgumentException if the bytes have another form
     */
    public static FrequentCallers of(byte[] bytes, int size) {
        Counted counted = Counted.of(bytes);
        FrequentCallers callers = new FrequentCallers(size);
        callers.forgotten = counted.error;
        counted.callers.forEach(each -> callers.add(each.caller, each.most - each.error));
        return callers;
    }

    /**
     * The content of a sketch.
     *
     * @param error the amount by which each number may be too high, and the number of refusals that a missing caller may have
     * @param callers all known callers
     */
    public record Counted(long error, List<Frequency> callers) {

        private static final int MOST = 10_000;

        public Counted {
            callers = List.copyOf(callers);
        }

        public byte[] toBytes() {
            PackWriter pack = new PackWriter().number(error).number(callers.size());
            callers.forEach(each ->
                    pack.text(each.caller.masked()).text(each.caller.hash()).number(each.most - each.error));
            return pack.toBytes();
        }

        /** Reads what {@link #toBytes} writes. Throws {@link IllegalArgumentException} if the bytes have another form. */
        public static Counted of(byte[] bytes) {
            PackReader pack = new PackReader(bytes);
            long error = pack.number(1L << 48);
            int count = (int) pack.number(MOST);
            List<Frequency> callers = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                CallerMark caller = new CallerMark(pack.text(), pack.text());
                callers.add(new Frequency(caller, pack.number(1L << 48) + error, error));
            }
            return new Counted(error, callers);
        }
    }
}
