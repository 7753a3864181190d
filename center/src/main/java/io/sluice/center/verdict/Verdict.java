package io.sluice.center.verdict;

import java.util.List;

/**
 * A verdict on a trial.
 *
 * @param why one sentence for a person
 */
public record Verdict(Kind kind, List<Comparison> comparisons, String why) {

    /** The three verdicts. */
    public enum Kind {

        /** No compared measure is worse than the tolerance allows. */
        PROMOTE("promote"),

        /** At least one measure is worse than the tolerance allows. */
        ROLL_BACK("roll_back"),

        /** The counts do not suffice for a decision, or cannot be trusted. */
        HOLD("hold");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** Returns the name in the API, such as {@code roll_back}. */
        public String word() {
            return word;
        }

        /**
         * Returns the verdict with this name.
         *
         * @throws IllegalArgumentException if there is none
         */
        public static Kind of(String word) {
            for (Kind each : values()) {
                if (each.word.equals(word)) {
                    return each;
                }
            }
            throw new IllegalArgumentException("verdict: unknown (expected: promote, roll_back or hold)");
        }
    }

    public Verdict {
        comparisons = List.copyOf(comparisons);
    }
}
