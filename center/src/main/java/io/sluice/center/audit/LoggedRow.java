package io.sluice.center.audit;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A row of the log with its content. Immutable.
 *
 * @param salt the salt of the commitment
 * @param origin the origin of the request; empty for actions of the center itself
 * @param body the body as JSON
 * @param hash the stored hash
 * @param erasedBy the number of the row that erased the content of this one; 0 if the content is present
 */
public record LoggedRow(
        AuditRow row, String salt, String origin, String reason, String body, String hash, long erasedBy) {

    /** The number of rows per read. */
    static final int AT_ONCE = 1_000;

    private static final String SELECT =
            "SELECT number, at, actor, kind, expected, outcome, commitment, salt, origin, reason, body, hash, erased_by"
                    + " FROM command ";

    public boolean isErased() {
        return erasedBy != 0;
    }

    /** Returns whether the content matches the commitment of the row. */
    public boolean isCommitted() {
        return row.commitment().equals(AuditRow.commitment(salt, origin, reason, body));
    }

    /** Returns the next rows above a number, in their order; empty at the end. */
    public static List<LoggedRow> above(JdbcClient client, long number) {
        return above(client, number, AT_ONCE);
    }

    /** Returns at most {@code most} of the next rows above a number, in their order; empty at the end. */
    public static List<LoggedRow> above(JdbcClient client, long number, int most) {
        return client.sql(SELECT + "WHERE number > ? ORDER BY number LIMIT " + most)
                .param(number)
                .query(LoggedRow::of)
                .list();
    }

    /** Returns the rows that the remainder of a statement selects. */
    static List<LoggedRow> select(JdbcClient client, String rest, List<?> values) {
        return client.sql(SELECT + rest).params(values).query(LoggedRow::of).list();
    }

    private static LoggedRow of(ResultSet row, int index) throws SQLException {
        return new LoggedRow(
                new AuditRow(
                        row.getLong(1),
                        row.getLong(2),
                        row.getString(3),
                        row.getString(4),
                        row.getLong(5),
                        row.getString(6),
                        row.getString(7)),
                row.getString(8),
                row.getString(9),
                row.getString(10),
                row.getString(11),
                row.getString(12),
                row.getLong(13));
    }
}
