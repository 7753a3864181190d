package io.sluice.center.audit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** The faults in one aspect of a log. Not thread-safe. */
final class Faults {

    private static final int MOST_TOLD = 20;

    /** Sorts by row; a fault that belongs to no row comes last. */
    private static final Comparator<Fault> ORDER =
            Comparator.comparingLong(fault -> fault.row() == 0 ? Long.MAX_VALUE : fault.row());

    private final List<Fault> all = new ArrayList<>();

    /**
     * One fault.
     *
     * @param row the number of the row; 0 if the fault belongs to no row
     */
    record Fault(long row, String text) {

        OptionalLong number() {
            return row == 0 ? OptionalLong.empty() : OptionalLong.of(row);
        }

        /** Returns the fault as a sentence that names the row. */
        String sentence() {
            return row == 0 ? text : "row " + row + ": " + text;
        }
    }

    void add(String text) {
        add(0, text);
    }

    void add(long row, String text) {
        all.add(new Fault(row, text));
    }

    /** Returns the fault with the lowest row. */
    Optional<Fault> first() {
        return all.stream().min(ORDER);
    }

    /** Returns the fault with the lowest row in several lists. */
    static Optional<Fault> firstOf(Faults... sides) {
        return Stream.of(sides).flatMap(side -> side.all.stream()).min(ORDER);
    }

    OptionalLong firstRow() {
        return first().map(Fault::number).orElse(OptionalLong.empty());
    }

    List<String> sentences() {
        return all.stream().sorted(ORDER).limit(MOST_TOLD).map(Fault::sentence).toList();
    }
}
