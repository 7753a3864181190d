package io.sluice.center.alert;

import io.sluice.center.database.Database;
import io.sluice.center.database.LostRaceException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The table of silences. */
final class SilenceTable {

    /** The end of a silence that a person has ended. */
    private static final long ENDED = 0;

    private static final String COLUMNS = "id, kind, rule, subject_key, subject, reason, actor, at, until_at";

    /** Stores a silence. Returns a copy with its number. */
    Silence add(JdbcClient client, Silence wish) {
        long id = Database.next(client, "alert_silence");
        client.sql("INSERT INTO alert_silence (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .params(
                        id,
                        wish.kind(),
                        wish.rule(),
                        wish.key(),
                        wish.subject(),
                        wish.reason(),
                        wish.actor(),
                        wish.at(),
                        wish.until())
                .update();
        return wish.numbered(id);
    }

    /** Returns the silences that have not ended, newest first. */
    List<Silence> active(JdbcClient client, long now) {
        return client.sql("SELECT " + COLUMNS + " FROM alert_silence WHERE until_at > ? ORDER BY id DESC")
                .param(now)
                .query(SilenceTable::row)
                .list();
    }

    Optional<Silence> find(JdbcClient client, long id) {
        return client.sql("SELECT " + COLUMNS + " FROM alert_silence WHERE id = ?")
                .param(id)
                .query(SilenceTable::row)
                .optional();
    }

    /**
     * Ends a silence for good: it does not come back when a clock is set back, or under a leader whose clock is behind.
     *
     * @throws LostRaceException if it has been ended in the meantime
     */
    void end(JdbcClient client, Silence silence) {
        int rows = client.sql("UPDATE alert_silence SET until_at = ? WHERE id = ? AND until_at = ?")
                .params(ENDED, silence.id(), silence.until())
                .update();
        if (rows != 1) {
            throw new LostRaceException("silence " + silence.id() + ": ended by somebody else");
        }
    }

    /** Removes the silences that ended before a time. */
    void prune(JdbcClient client, long before) {
        client.sql("DELETE FROM alert_silence WHERE until_at < ?").param(before).update();
    }

    private static Silence row(ResultSet row, int index) throws SQLException {
        return new Silence(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getLong(8),
                row.getLong(9));
    }
}
