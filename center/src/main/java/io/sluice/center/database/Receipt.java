package io.sluice.center.database;

import org.springframework.jdbc.core.simple.JdbcClient;

/** The proof that a transaction was stored: something in the database that no other transaction writes. */
public interface Receipt {

    /**
     * Returns whether the transaction was stored. Called in another transaction, on another connection. It waits for the transaction
     * if the server has not ended it, so that the answer stays true.
     */
    boolean isStored(JdbcClient client);

    /** Called once it is known that the transaction was stored. */
    void stored();
}
