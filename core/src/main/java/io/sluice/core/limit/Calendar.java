package io.sluice.core.limit;

/** Calendar windows, by the local time of a zone. */
public enum Calendar {
    DAY,
    /** Starts on Monday. */
    WEEK,
    MONTH,
    YEAR
}
