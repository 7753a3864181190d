package io.sluice.rules.internal;

/** Whose count a request belongs to under one limit. */
public sealed interface CountKey {

    /** The count of this name; the empty one is the whole rule's. */
    record Of(String text) implements CountKey {}

    /** Nobody's: the limit is not for this request. */
    record Skipped() implements CountKey {}

    /**
     * The request is to be refused.
     *
     * @param attribute what it does not have
     */
    record Refused(String attribute) implements CountKey {}
}
