package io.sluice.rules.evaluate;

/** Whose count a request belongs to under one limit. */
sealed interface CallerKey {

    /** The count of this name; the empty one is the whole rule's. */
    record Of(String text) implements CallerKey {}

    /** Nobody's: the limit is not for this request. */
    record Skipped() implements CallerKey {}

    /**
     * The request is to be refused.
     *
     * @param attribute what it does not have
     */
    record Refused(String attribute) implements CallerKey {}
}
