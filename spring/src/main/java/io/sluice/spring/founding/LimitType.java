package io.sluice.spring.founding;

/** The callers that share a count of a {@link LimitPoint}. */
public enum LimitType {
    /** All callers share one count for the key. */
    CUSTOMER,
    /** Each client address has its own count for the key. */
    IP
}
