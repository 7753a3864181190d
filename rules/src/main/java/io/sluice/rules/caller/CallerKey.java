package io.sluice.rules.caller;

/** The count that a request uses under one limit. */
public sealed interface CallerKey {

    /** The count with this name. The empty name is the count of the whole rule. */
    record Of(String text) implements CallerKey {}

    /** No count: the limit does not apply to this request. */
    record Skipped() implements CallerKey {}

    /**
     * The request must be refused.
     *
     * @param attribute the attribute that the request lacks
     */
    record Refused(String attribute) implements CallerKey {}
}
