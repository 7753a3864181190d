package io.sluice.center.audit;

import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.LogKey;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reads the stored facts about the log other than its rows. Every method runs within a transaction of the caller. */
public final class AuditTables {

    private AuditTables() {}

    /** Returns the id of the log; empty before the first start of a center. */
    public static String log(JdbcClient client) {
        return client.sql("SELECT log FROM audit_head WHERE name = 'command'")
                .query(String.class)
                .single();
    }

    /** Returns the highest number that any row ever had. */
    public static long counter(JdbcClient client) {
        return client.sql("SELECT value FROM counter WHERE name = 'command'")
                .query(Long.class)
                .single();
    }

    /** Returns whether a row is present or was pruned. */
    static boolean hasRow(JdbcClient client, long number) {
        return number == 0
                || client.sql("SELECT (SELECT COUNT(*) FROM command WHERE number = ?)"
                                        + " + (SELECT COUNT(*) FROM audit_segment WHERE last_row >= ?)")
                                .params(number, number)
                                .query(Long.class)
                                .single()
                        > 0;
    }

    /** Returns the keys, oldest first. */
    public static List<LoggedKey> keys(JdbcClient client) {
        return client.sql("SELECT public_key, before_id, signature, at FROM audit_key ORDER BY number")
                .query((row, index) ->
                        new LoggedKey(new LogKey(row.getString(1)), row.getString(2), row.getString(3), row.getLong(4)))
                .list();
    }

    /** Returns the checkpoints, smallest first. */
    public static List<Checkpoint> checkpoints(JdbcClient client) {
        String log = log(client);
        return client.sql("SELECT size, root, at, key_id, signature FROM audit_checkpoint ORDER BY size")
                .query((row, index) -> new Checkpoint(
                        log, row.getLong(1), row.getString(2), row.getLong(3), row.getString(4), row.getString(5)))
                .list();
    }

    /** Returns the pruned segments, oldest first. */
    public static List<AuditSegment> segments(JdbcClient client) {
        return client.sql("SELECT first_row, last_row, root, at FROM audit_segment ORDER BY first_row")
                .query((row, index) ->
                        new AuditSegment(row.getLong(1), row.getLong(2), row.getString(3), row.getLong(4)))
                .list();
    }

    /** Returns the hashes of rows in their order, skipping missing rows. */
    public static List<String> leaves(JdbcClient client, long first, long last) {
        return client.sql("SELECT hash FROM audit_node WHERE depth = 0 AND place BETWEEN ? AND ? ORDER BY place")
                .params(first - 1, last - 1)
                .query(String.class)
                .list();
    }
}
