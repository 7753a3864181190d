package io.sluice.rules.review;

import java.util.Optional;

/**
 * A finding about a rule set: legal content that its authors probably did not intend. Immutable. Prints as one line: {@code login: never
 * acts on requests, because banned denies all that it matches}.
 *
 * @param rule the id of the rule that the finding is about
 * @param limit the limit of the rule that the finding is about, by its id in reports; empty for a finding about the whole rule
 * @param sentence the rest of the line
 * @param other the id of the other rule that the finding is about
 */
public record ReviewFinding(String rule, Optional<String> limit, Kind kind, String sentence, Optional<String> other) {

    /** The kinds of findings. */
    public enum Kind {
        /** A rule or an override has no effect on any request. */
        NEVER_ACTS("never_acts"),
        /** Whenever a limit would refuse a request, another limit also refuses it. */
        NEVER_REFUSES("never_refuses"),
        /** Two rules are the same, or contradict each other about the same requests. */
        CONFLICT("conflict");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** Returns the spelling in the API. */
        public String word() {
            return word;
        }
    }

    @Override
    public String toString() {
        return rule + ": " + sentence;
    }
}
