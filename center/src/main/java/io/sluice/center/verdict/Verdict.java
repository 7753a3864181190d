package io.sluice.center.verdict;

import java.util.List;
import java.util.Locale;

/**
 * What to do with a trial.
 *
 * @param why one sentence for a person
 */
public record Verdict(Kind kind, List<Comparison> comparisons, String why) {

    /** The three verdicts. */
    public enum Kind {

        /** No compared measure is worse than the tolerance allows. */
        PROMOTE,

        /** At least one measure is worse than the tolerance allows. */
        ROLL_BACK,

        /** The counts do not tell, or cannot be trusted. */
        HOLD;

        /** Returns the name in the API, such as {@code roll_back}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Verdict {
        comparisons = List.copyOf(comparisons);
    }
}
