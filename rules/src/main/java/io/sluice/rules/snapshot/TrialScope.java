package io.sluice.rules.snapshot;

/** Who tries a version. */
public sealed interface TrialScope {

    /**
     * A share of the nodes. It shows that a version loads and decides without errors. It says nothing about numbers, because all
     * nodes share the counts.
     *
     * @param percent 1 to 99
     */
    record Nodes(int percent) implements TrialScope {
        public Nodes {
            if (percent < 1 || percent > 99) {
                throw new IllegalArgumentException("nodes: " + percent + " (expected: 1..99, in percent)");
            }
        }
    }

    /** Some of the callers, on every node. */
    record Callers(CallerSplit split) implements TrialScope {}
}
