package io.sluice.core.limit;

/** Windows of the calendar, as a people's clock on the wall has them. */
public enum Calendar {
    DAY,
    /** From Monday. */
    WEEK,
    MONTH,
    YEAR
}
