package io.sluice.center.plan;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The nodes or callers that a change is released to. Immutable. */
public sealed interface Target {

    /** The maximum number of steps of a trial. */
    int MOST_STEPS = 10;

    /** Returns the shares of the steps, in percent; empty if there is only one step. */
    default List<Integer> steps() {
        return List.of();
    }

    /** Returns whether some nodes or callers keep the version in force until the end of the trial. */
    default boolean isSplit() {
        return true;
    }

    /** Every node and every caller immediately. */
    record All() implements Target {
        @Override
        public boolean isSplit() {
            return false;
        }
    }

    /** Shares of the nodes, one after the other. */
    record Nodes(List<Integer> steps) implements Target {
        public Nodes {
            steps = checked("nodes", steps);
        }
    }

    /**
     * Shares of the callers, one after the other.
     *
     * @param by the attribute that distinguishes callers; empty to choose one
     */
    record Callers(List<Integer> steps, Optional<String> by) implements Target {
        public Callers {
            steps = checked("callers", steps);
        }
    }

    /** The callers with certain values of an attribute. */
    record Named(String attribute, Set<String> values) implements Target {
        public Named {
            values = Collections.unmodifiableSet(new TreeSet<>(values));
        }
    }

    /** Every node, with the changed limits as candidates that refuse nothing. */
    record Candidate() implements Target {
        @Override
        public boolean isSplit() {
            return false;
        }
    }

    private static List<Integer> checked(String name, List<Integer> steps) {
        boolean ascending = true;
        for (int i = 0; i < steps.size(); i++) {
            ascending &= steps.get(i) >= 1 && steps.get(i) <= 99 && (i == 0 || steps.get(i) > steps.get(i - 1));
        }
        if (steps.isEmpty() || steps.size() > MOST_STEPS || !ascending) {
            throw new IllegalArgumentException(name + ": " + steps + " (expected: one share from 1% to 99%, or up to "
                    + MOST_STEPS + " that rise, such as [\"1%\", \"10%\", \"50%\"])");
        }
        return List.copyOf(steps);
    }
}
