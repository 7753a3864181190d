package io.sluice.center.personal;

import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Rows of some tables that are no longer needed after some time. A row is removed if it is closed, old enough, and not referred to by a row
 * that remains. The concept that owns the tables declares them. Every method runs within a transaction of the caller.
 */
public interface AgingData {

    /** Returns the authors of rows that wait for a decision. As long as they wait, their tokens remain. */
    default Set<String> waitingAuthors(JdbcClient client) {
        return Set.of();
    }

    /** Removes some old rows. Returns the number of removed rows by kind. */
    default Map<String, Long> remove(JdbcClient client, Age age) {
        return Map.of();
    }

    /** Removes rows that have expired. Their removal is not logged. */
    default void removeExpired(JdbcClient client, long now) {}

    /** Removes some old figures. Their removal is not logged, because they name no people. Returns whether there may be more. */
    default boolean removeFigures(JdbcClient client, Age age) {
        return false;
    }
}
