package io.sluice.center.web;

import java.util.List;
import java.util.function.Supplier;

/**
 * The problems that the parts of a center report.
 *
 * @param sources the parts, in the order in which people read their problems
 */
record StatusProblems(List<Supplier<List<String>>> sources) {

    /** Returns the current problems, as sentences. */
    List<String> now() {
        return sources.stream().flatMap(source -> source.get().stream()).toList();
    }
}
