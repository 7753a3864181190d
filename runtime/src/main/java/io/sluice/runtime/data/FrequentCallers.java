package io.sluice.runtime.data;

import io.sluice.rules.caller.CallerMark;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;

/**
 * How often callers were refused: exact while they are few, and with a known error if they are many. Two of them can be merged. Not
 * thread-safe.
 *
 * <p>The sketch is packed by this class, because the library's own format needs a part of the library that refuses to run on the
 * newest Java.
 */
public final class FrequentCallers {

    private static final char SEPARATOR = '\n';

    private final ItemsSketch<String> sketch;

    /** What merged sketches had forgotten. */
    private long forgotten;

    /**
     * A caller and how often it was refused.
     *
     * @param most how often, at most
     * @param error how much lower the true number may be
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

    /** Returns how much lower than told a number may be, and how often a caller may have been refused that is not told at all. */
    public long error() {
        return forgotten + sketch.getMaximumError();
    }

    /** Returns all callers that are known, those with the highest numbers first. */
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
     * @param size of the new sketch, as in the constructor
     * @throws IllegalArgumentException if the bytes are anything else
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
     * @param error how much lower than told each number may be, and how often a caller may have been refused that is not told at all
     * @param callers all callers that are known
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

        /** Reads what {@link #toBytes} writes. Throws {@link IllegalArgumentException} if the bytes are anything else. */
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
