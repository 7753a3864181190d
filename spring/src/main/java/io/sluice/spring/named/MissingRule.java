package io.sluice.spring.named;

/** The reaction if the application names a rule that is not in force. */
public enum MissingRule {
    /** If rules are loaded without the named rule, the application does not start. A call without its rule fails. */
    FAIL,
    /** Calls pass. A warning is logged once. */
    WARN,
    /** Calls pass. */
    ALLOW
}
