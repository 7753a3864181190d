package io.sluice.spring.founding;

/** What a {@link LimitPoint} counts by. */
public enum LimitType {
    /** All callers share one count for the key. */
    CUSTOMER,
    /** Each client address has its own count for the key. */
    IP
}
