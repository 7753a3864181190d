package io.sluice.runtime.data;

import io.sluice.rules.yaml.PrintableText;

/**
 * Data of one kind, packed.
 *
 * @param number increases by one with each batch of a process, and starts with 1 at each start
 * @param content the packed data; must not be changed
 */
@SuppressWarnings("ArrayRecordComponent") // packed once, read once
public record DataBatch(long number, Kind kind, byte[] content) {

    /** The maximum number of bytes in a batch. */
    public static final int MOST_BYTES = 4_000_000;

    public DataBatch {
        if (number < 1) {
            throw new IllegalArgumentException("number: " + number + " (expected: 1 or more)");
        }
        if (content.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "batch: " + content.length + " bytes (expected: at most " + MOST_BYTES + ")");
        }
    }

    /** The kinds of data. */
    public enum Kind {
        /** Counts of one second: {@link SecondCounts}. */
        COUNTS("counts"),
        /** Sketches of the callers that were refused in one minute: {@link RefusedMinute}. */
        CALLERS("callers"),
        /** A sample of decisions: a list of {@link DecisionEntry}. */
        DECISIONS("decisions");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** Returns the name in reports. */
        public String word() {
            return word;
        }

        /**
         * Returns the kind with this name.
         *
         * @throws IllegalArgumentException if there is none
         */
        public static Kind of(String word) {
            for (Kind kind : values()) {
                if (kind.word().equals(word)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("kind: " + PrintableText.text(word) + " (expected: a known kind)");
        }
    }
}
