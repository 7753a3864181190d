package io.sluice.spring;

/** What a {@link LimitPoint} counts by. */
public enum LimitType {
    /** One count for its key. */
    CUSTOMER,
    /** One count for its key and each client's address. */
    IP
}
