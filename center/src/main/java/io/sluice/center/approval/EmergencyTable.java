package io.sluice.center.approval;

import io.sluice.center.database.LostRaceException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The table of emergencies. */
final class EmergencyTable {

    private static final JsonMapper JSON = JsonMapper.shared();

    private static final String COLUMNS = "id, kind, subject, before_version, change_id, why, guarded, actor, identity,"
            + " reason, at, ends_at, state, closed_by, closed_at, close_reason, undone_by";

    private static final String SELECT = "SELECT " + COLUMNS + " FROM emergency ";

    void add(JdbcClient client, Emergency emergency) {
        client.sql("INSERT INTO emergency (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .params(
                        emergency.id(),
                        emergency.kind().word(),
                        emergency.subject(),
                        emergency.before(),
                        emergency.change(),
                        JSON.writeValueAsString(emergency.why()),
                        JSON.writeValueAsString(emergency.guarded()),
                        emergency.actor(),
                        emergency.identity(),
                        emergency.reason(),
                        emergency.at(),
                        emergency.endsAt(),
                        emergency.state().word(),
                        emergency.closedBy(),
                        emergency.closedAt(),
                        emergency.closeReason(),
                        emergency.undoneBy())
                .update();
    }

    /**
     * Moves an emergency to another state.
     *
     * @throws LostRaceException if its state has changed since it was read
     */
    void close(
            JdbcClient client, Emergency old, Emergency.State state, String by, long at, String reason, long undoneBy) {
        int rows = client.sql("UPDATE emergency SET state = ?, closed_by = ?, closed_at = ?, close_reason = ?,"
                        + " undone_by = ? WHERE id = ? AND state = ?")
                .params(
                        state.word(),
                        by,
                        at,
                        reason,
                        undoneBy,
                        old.id(),
                        old.state().word())
                .update();
        requireOne(rows, old);
    }

    /**
     * Keeps an emergency in its state until the transaction ends.
     *
     * @throws LostRaceException if its state has changed since it was read
     */
    void hold(JdbcClient client, Emergency old) {
        int rows = client.sql("UPDATE emergency SET state = state WHERE id = ? AND state = ?")
                .params(old.id(), old.state().word())
                .update();
        requireOne(rows, old);
    }

    private static void requireOne(int rows, Emergency old) {
        if (rows != 1) {
            throw new LostRaceException("emergency " + old.id() + ": decided by somebody else");
        }
    }

    Optional<Emergency> find(JdbcClient client, long id) {
        return client.sql(SELECT + "WHERE id = ?")
                .param(id)
                .query(EmergencyTable::row)
                .optional();
    }

    /** Returns the emergencies with an id below a number, newest first. */
    List<Emergency> list(JdbcClient client, long below, int most) {
        return client.sql(SELECT + "WHERE id < ? ORDER BY id DESC LIMIT " + most)
                .param(below)
                .query(EmergencyTable::row)
                .list();
    }

    /** Returns the emergencies in a state, newest first. */
    List<Emergency> in(JdbcClient client, Emergency.State state) {
        return client.sql(SELECT + "WHERE state = ? ORDER BY id DESC")
                .param(state.word())
                .query(EmergencyTable::row)
                .list();
    }

    /** Returns the emergencies that released a version and were not accepted, newest first. */
    List<Emergency> notAccepted(JdbcClient client) {
        return client
                .sql(SELECT + "WHERE state <> ? ORDER BY id DESC")
                .param(Emergency.State.ACCEPTED.word())
                .query(EmergencyTable::row)
                .list()
                .stream()
                .filter(each -> each.kind().isVersion())
                .toList();
    }

    Set<String> guarded(JdbcClient client) {
        return in(client, Emergency.State.WAITING).stream()
                .flatMap(each -> each.guarded().stream())
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static Emergency row(ResultSet row, int index) throws SQLException {
        return new Emergency(
                row.getLong(1),
                Emergency.Kind.of(row.getString(2)),
                row.getLong(3),
                row.getLong(4),
                row.getLong(5),
                why(row.getString(6)),
                guarded(row.getString(7)),
                row.getString(8),
                row.getString(9),
                row.getString(10),
                row.getLong(11),
                row.getLong(12),
                Emergency.State.of(row.getString(13)),
                row.getString(14),
                row.getLong(15),
                row.getString(16),
                row.getLong(17));
    }

    private static List<Protection.Reason> why(String text) {
        List<Protection.Reason> why = new ArrayList<>();
        for (JsonNode reason : JSON.readTree(text)) {
            why.add(new Protection.Reason(
                    reason.get("rule").asString(),
                    reason.get("sentence").asString(),
                    reason.path("weakensOthers").asBoolean(false)));
        }
        return why;
    }

    private static Set<String> guarded(String text) {
        Set<String> rules = new LinkedHashSet<>();
        JSON.readTree(text).forEach(rule -> rules.add(rule.asString()));
        return rules;
    }
}
