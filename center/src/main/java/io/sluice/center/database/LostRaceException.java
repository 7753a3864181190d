package io.sluice.center.database;

/** Thrown inside a transaction that lost a race against another one. {@link Database#write} runs the transaction again. */
public final class LostRaceException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public LostRaceException(String message) {
        super(message);
    }
}
