package io.sluice.spring.method;

/** What is done where an annotation names a rule that is not in force. */
public enum MissingRule {
    /** The application does not start if rules are there and this one is not; a call without its rule fails. */
    FAIL,
    /** Calls pass, and a warning says so once. */
    WARN,
    /** Calls pass. */
    ALLOW
}
