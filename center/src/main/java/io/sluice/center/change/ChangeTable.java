package io.sluice.center.change;

import io.sluice.center.database.LostRaceException;
import io.sluice.center.edit.EditsJson;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The table of changes. */
public final class ChangeTable {

    private static final String COLUMNS =
            "id, revision, state, title, reason, author, base, edits, opened_at, changed_at, version";

    private static final String SELECT = "SELECT " + COLUMNS + " FROM rule_change ";

    private final LargeEdits edits = new LargeEdits();

    public void add(JdbcClient client, Change change) {
        client.sql("INSERT INTO rule_change (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .params(
                        change.id(),
                        change.revision(),
                        change.state().word(),
                        change.title(),
                        change.reason(),
                        change.author(),
                        change.base(),
                        EditsJson.write(change.edits()),
                        change.openedAt(),
                        change.changedAt(),
                        change.version())
                .update();
    }

    /**
     * Replaces the stored change, whose revision must be lower by one.
     *
     * @throws LostRaceException if it has another revision
     */
    public void replace(JdbcClient client, Change change) {
        int rows = client.sql("UPDATE rule_change SET revision = ?, state = ?, title = ?, reason = ?, base = ?,"
                        + " edits = ?, changed_at = ?, version = ? WHERE id = ? AND revision = ?")
                .params(
                        change.revision(),
                        change.state().word(),
                        change.title(),
                        change.reason(),
                        change.base(),
                        EditsJson.write(change.edits()),
                        change.changedAt(),
                        change.version(),
                        change.id(),
                        change.revision() - 1)
                .update();
        requireOne(rows, change);
    }

    /**
     * Locks a change against edits until the transaction ends.
     *
     * @throws LostRaceException if it has another revision
     */
    void hold(JdbcClient client, Change change) {
        int rows = client.sql("UPDATE rule_change SET revision = revision WHERE id = ? AND revision = ?")
                .params(change.id(), change.revision())
                .update();
        requireOne(rows, change);
    }

    private static void requireOne(int rows, Change change) {
        if (rows != 1) {
            throw new LostRaceException("change " + change.id() + ": edited by somebody else");
        }
    }

    public Optional<Change> find(JdbcClient client, long id) {
        return client.sql(SELECT + "WHERE id = ?").param(id).query(this::row).optional();
    }

    /** Returns the number of open changes of an author. */
    public long open(JdbcClient client, String author) {
        return client.sql("SELECT COUNT(*) FROM rule_change WHERE state = ? AND author = ?")
                .params(ChangeState.OPEN.word(), author)
                .query(Long.class)
                .single();
    }

    /** Returns changes with an id below a number, newest first. */
    public List<Change> list(JdbcClient client, Optional<ChangeState> state, long below, int most) {
        String end = " ORDER BY id DESC LIMIT " + most;
        return state.isPresent()
                ? client.sql(SELECT + "WHERE id < ? AND state = ?" + end)
                        .params(below, state.get().word())
                        .query(this::row)
                        .list()
                : client.sql(SELECT + "WHERE id < ?" + end)
                        .param(below)
                        .query(this::row)
                        .list();
    }

    private Change row(ResultSet row, int index) throws SQLException {
        return new Change(
                row.getLong(1),
                row.getLong(2),
                ChangeState.of(row.getString(3)),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getLong(7),
                edits.read(row.getString(8)),
                row.getLong(9),
                row.getLong(10),
                row.getLong(11));
    }
}
