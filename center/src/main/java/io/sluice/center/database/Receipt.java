package io.sluice.center.database;

import org.springframework.jdbc.core.simple.JdbcClient;

/** The proof that a transaction was stored: content of the database that no other transaction writes. */
public interface Receipt {

    /**
     * Returns whether the transaction was stored. Called in another transaction, on another connection. If the server has not ended the
     * original transaction, this method waits for its end, so that the answer remains true.
     */
    boolean isStored(JdbcClient client);

    /** Called once it is known that the transaction was stored. */
    void stored();
}
