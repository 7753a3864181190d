package io.sluice.runtime.data;

import io.sluice.rules.caller.CallerMark;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
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

    private final int size;
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
        this.size = size;
        this.sketch = new ItemsSketch<>(size);
    }

    /** Returns how many callers it holds now. */
    public int callers() {
        return sketch.getNumActiveItems();
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
        all.sort(Comparator.comparingLong(Frequency::most)
                .reversed()
                .thenComparing(each -> each.caller.hash()));
        return all;
    }

    /** Says that callers who are not told may have been refused this much more often. */
    public void forget(long refusals) {
        forgotten += refusals;
    }

    /** Returns a copy without the callers that have one of these hashes. */
    public FrequentCallers without(Set<String> hashes) {
        FrequentCallers rest = new FrequentCallers(size);
        counted().stream()
                .filter(each -> !hashes.contains(each.caller.hash()))
                .forEach(each -> rest.add(each.caller, each.most - each.error));
        rest.forgotten = error();
        return rest;
    }

    /** Returns a copy with the most frequent callers. What it leaves out is a part of its error. */
    public FrequentCallers top(int most) {
        List<Frequency> all = counted();
        FrequentCallers top = new FrequentCallers(size);
        all.stream().limit(most).forEach(each -> top.add(each.caller, each.most - each.error));
        top.forgotten = all.size() > most ? all.get(most).most : error();
        return top;
    }

    private static CallerMark mark(String item) {
        int at = item.indexOf(SEPARATOR);
        return new CallerMark(item.substring(0, at), item.substring(at + 1));
    }

    public byte[] toBytes() {
        List<Frequency> all = counted();
        PackWriter pack = new PackWriter().number(error()).number(all.size());
        all.forEach(each -> pack.text(each.caller.masked()).text(each.caller.hash()).number(each.most - each.error));
        return pack.toBytes();
    }

    /**
     * Reads what {@link #toBytes} writes.
     *
     * @param size of the new sketch, as in the constructor
     * @throws IllegalArgumentException if the bytes are anything else
     */
    public static FrequentCallers of(byte[] bytes, int size) {
        PackReader pack = new PackReader(bytes);
        FrequentCallers callers = new FrequentCallers(size);
        callers.forgotten = pack.number(1L << 48);
        int count = pack.count();
        for (int i = 0; i < count; i++) {
            callers.add(new CallerMark(pack.text(), pack.text()), pack.number(1L << 48));
        }
        return callers;
    }
}
