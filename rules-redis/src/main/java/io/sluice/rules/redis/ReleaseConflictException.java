package io.sluice.rules.redis;

/** Somebody else released at the same time, and this release did not happen. Look at what is in force and decide anew. */
public final class ReleaseConflictException extends Exception {

    private static final long serialVersionUID = 1;

    ReleaseConflictException(String message) {
        super(message);
    }
}
