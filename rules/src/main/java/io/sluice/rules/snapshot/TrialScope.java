package io.sluice.rules.snapshot;

/** The nodes or callers that try a version. */
public sealed interface TrialScope {

    /**
     * A share of the nodes. It shows that a version loads and decides without errors. It does not test numbers, because all nodes share the
     * counts.
     *
     * @param percent the share in percent, 1 to 99
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
