package io.sluice.rules.redis;

/** Thrown when another release came first, so that this release did not happen. Review the rules in force and decide again. */
public final class ReleaseConflictException extends Exception {

    private static final long serialVersionUID = 1;

    ReleaseConflictException(String message) {
        super(message);
    }
}
