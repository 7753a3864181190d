package io.sluice.center.audit;

import java.util.ArrayList;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A query for rows of the log. Immutable.
 *
 * @param below only rows with a lower number
 * @param most the maximum number of rows
 * @param actor only rows of this author; empty for all
 * @param kind only rows of this kind; empty for all
 * @param outcome only {@code done} or {@code refused}; empty for both
 * @param since only rows from this time on, in milliseconds since the epoch
 * @param until only rows before this time, in milliseconds since the epoch
 */
public record AuditQuery(long below, int most, String actor, String kind, String outcome, long since, long until) {

    /** Returns the matching rows, newest first. */
    public List<LoggedRow> rows(JdbcClient client) {
        StringBuilder where = new StringBuilder("WHERE number < ? AND at >= ? AND at < ?");
        List<Object> values = new ArrayList<>(List.of(below, since, until));
        add(where, values, "actor", actor);
        add(where, values, "kind", kind);
        add(where, values, "outcome", outcome);
        return LoggedRow.select(client, where + " ORDER BY number DESC LIMIT " + most, values);
    }

    private static void add(StringBuilder where, List<Object> values, String column, String value) {
        if (!value.isEmpty()) {
            where.append(" AND ").append(column).append(" = ?");
            values.add(value);
        }
    }
}
