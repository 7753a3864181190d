package io.sluice.center.adjust;

import io.sluice.center.database.LostRaceException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The table of overrides and switches. */
final class AdjustmentTable {

    private static final String COLUMNS = "id, kind, rule, limit_name, attribute, caller, numbers, until_at, reason,"
            + " actor, created_at, revision, ended_at, ended_by, end_reason, tenant";

    private static final String SELECT = "SELECT " + COLUMNS + " FROM adjustment ";

    void add(JdbcClient client, Adjustment adjustment) {
        client.sql("INSERT INTO adjustment (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .params(
                        adjustment.id(),
                        adjustment.kind().word(),
                        adjustment.rule(),
                        adjustment.limit(),
                        adjustment.attribute(),
                        adjustment.caller(),
                        adjustment.numbers(),
                        adjustment.until(),
                        adjustment.reason(),
                        adjustment.actor(),
                        adjustment.createdAt(),
                        adjustment.revision(),
                        adjustment.endedAt(),
                        adjustment.endedBy(),
                        adjustment.endReason(),
                        adjustment.tenant())
                .update();
    }

    Optional<Adjustment> find(JdbcClient client, Adjustment.Kind kind, long id) {
        return client.sql(SELECT + "WHERE id = ? AND kind = ?")
                .params(id, kind.word())
                .query(AdjustmentTable::row)
                .optional();
    }

    /** Returns the adjustments of a kind with an id below a number, newest first. */
    List<Adjustment> list(JdbcClient client, Adjustment.Kind kind, long below, int most) {
        return client.sql(SELECT + "WHERE id < ? AND kind = ? ORDER BY id DESC LIMIT " + most)
                .params(below, kind.word())
                .query(AdjustmentTable::row)
                .list();
    }

    /** Returns the active adjustments, in the order of their ids. */
    List<Adjustment> active(JdbcClient client) {
        return client.sql(SELECT + "WHERE ended_at = 0 ORDER BY id")
                .query(AdjustmentTable::row)
                .list();
    }

    void end(JdbcClient client, long id, long at, String actor, String reason) {
        int rows = client.sql(
                        "UPDATE adjustment SET ended_at = ?, ended_by = ?, end_reason = ? WHERE id = ? AND ended_at = 0")
                .params(at, actor, reason, id)
                .update();
        if (rows != 1) {
            throw new LostRaceException("adjustment " + id + ": ended by somebody else");
        }
    }

    private static Adjustment row(ResultSet row, int index) throws SQLException {
        return new Adjustment(
                row.getLong(1),
                Adjustment.Kind.of(row.getString(2)),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getLong(8),
                row.getString(9),
                row.getString(10),
                row.getLong(11),
                row.getLong(12),
                row.getLong(13),
                row.getString(14),
                row.getString(15),
                row.getString(16));
    }
}
