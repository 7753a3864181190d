package io.sluice.rules.redis;

/** Thrown if another release came first and this one did not happen. Review the rules in force and decide again. */
public final class ReleaseConflictException extends Exception {

    private static final long serialVersionUID = 1;

    ReleaseConflictException(String message) {
        super(message);
    }
}
