package io.sluice.rules.internal.index;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Values by how a text starts, or by how it ends: one look-up for each length that occurs. */
final class EndsTable<V> {

    private final boolean start;
    private final Map<String, V> values = new HashMap<>();
    private int[] lengths = {};

    /** Of starts, or else of ends. */
    EndsTable(boolean start) {
        this.start = start;
    }

    V at(String end, Supplier<V> fresh) {
        if (Arrays.binarySearch(lengths, end.length()) < 0) {
            lengths = Arrays.copyOf(lengths, lengths.length + 1);
            lengths[lengths.length - 1] = end.length();
            Arrays.sort(lengths);
        }
        return values.computeIfAbsent(end, absent -> fresh.get());
    }

    void visit(String text, Found<V> found) {
        for (int length : lengths) {
            if (length > text.length()) {
                return;
            }
            V value = values.get(start ? text.substring(0, length) : text.substring(text.length() - length));
            if (value != null) {
                found.found(value);
            }
        }
    }
}
