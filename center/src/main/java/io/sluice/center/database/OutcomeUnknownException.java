package io.sluice.center.database;

import org.springframework.dao.DataAccessResourceFailureException;

/**
 * Thrown if the connection broke before the server confirmed a transaction, and the center cannot find out whether the transaction was
 * stored.
 */
public final class OutcomeUnknownException extends DataAccessResourceFailureException {

    private static final long serialVersionUID = 1;

    OutcomeUnknownException(Throwable failure) {
        super("it is not known whether the transaction was stored", failure);
    }
}
