package io.sluice.center.verdict;

/** The way in which the callers of a trial were chosen. */
public sealed interface CallerChoice {

    /**
     * A keyed hash chose this share of the callers.
     *
     * @param share between 0 and 1
     */
    record Callers(double share) implements CallerChoice {

        public Callers {
            if (!(share > 0 && share < 1)) {
                throw new IllegalArgumentException(
                        "share: " + Wording.plain(share) + " (expected: between 0 and 1, such as 0.05)");
            }
        }
    }

    /** Some nodes have the version on trial. The load balancer chooses the callers. */
    record Nodes() implements CallerChoice {}

    /** A person named the callers. They may differ from the others, so no verdict is possible. */
    record Named() implements CallerChoice {}
}
