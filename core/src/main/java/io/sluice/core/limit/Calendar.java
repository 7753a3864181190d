package io.sluice.core.limit;

/** Calendar windows, by the local time of a zone. */
public enum Calendar {
    DAY("day"),
    /** Starts on Monday. */
    WEEK("week"),
    MONTH("month"),
    YEAR("year");

    private final String word;

    Calendar(String word) {
        this.word = word;
    }

    /** Returns the spelling in documents, in stores and between programs. */
    public String word() {
        return word;
    }

    /**
     * Returns the calendar with this word.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Calendar of(String word) {
        for (Calendar each : values()) {
            if (each.word.equals(word)) {
                return each;
            }
        }
        throw new IllegalArgumentException("calendar: unknown (expected: day, week, month or year)");
    }
}
