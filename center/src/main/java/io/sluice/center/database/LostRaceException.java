package io.sluice.center.database;

/** Thrown inside a transaction that lost against another one. {@link Database#write} runs it again. */
public final class LostRaceException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public LostRaceException(String message) {
        super(message);
    }
}
