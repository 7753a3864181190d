package io.sluice.center.alert;

import io.sluice.center.database.Database;
import io.sluice.center.destination.AlertSeverity;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The table of alerts that fire, or have fired. */
final class AlertTable {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String SELECT = "SELECT id, state, since, resolved_at, body FROM alert ";

    /** Stores an alert. Returns a copy with its number. */
    Alert put(JdbcClient client, Alert alert) {
        if (alert.id() == 0) {
            Alert numbered = alert.numbered(Database.next(client, "alert"));
            client.sql("INSERT INTO alert (id, state, since, resolved_at, body) VALUES (?, ?, ?, ?, ?)")
                    .params(
                            numbered.id(),
                            numbered.state().word(),
                            numbered.since(),
                            numbered.resolvedAt(),
                            body(numbered))
                    .update();
            return numbered;
        }
        client.sql("UPDATE alert SET state = ?, since = ?, resolved_at = ?, body = ? WHERE id = ?")
                .params(alert.state().word(), alert.since(), alert.resolvedAt(), body(alert), alert.id())
                .update();
        return alert;
    }

    /** Returns all firing alerts, newest first. */
    List<Alert> firing(JdbcClient client) {
        return client.sql(SELECT + "WHERE state = ? ORDER BY since DESC, id DESC")
                .param(Alert.State.FIRING.word())
                .query(AlertTable::row)
                .list();
    }

    /** Returns the numbers of all firing alerts. */
    Set<Long> firingIds(JdbcClient client) {
        return client.sql("SELECT id FROM alert WHERE state = ?")
                .param(Alert.State.FIRING.word())
                .query(Long.class)
                .set();
    }

    /** Returns the alerts that were resolved after a time, newest first. */
    List<Alert> resolved(JdbcClient client, long after, int most) {
        return client.sql(SELECT + "WHERE state = ? AND resolved_at > ? ORDER BY since DESC, id DESC LIMIT " + most)
                .params(Alert.State.RESOLVED.word(), after)
                .query(AlertTable::row)
                .list();
    }

    Optional<Alert> find(JdbcClient client, long id) {
        return client.sql(SELECT + "WHERE id = ?")
                .param(id)
                .query(AlertTable::row)
                .optional();
    }

    /** Removes the alerts that were resolved before a time. */
    void prune(JdbcClient client, long before) {
        client.sql("DELETE FROM alert WHERE state = ? AND resolved_at < ?")
                .params(Alert.State.RESOLVED.word(), before)
                .update();
    }

    private static String body(Alert alert) {
        Symptom symptom = alert.symptom();
        ObjectNode body = JSON.createObjectNode();
        body.put("rule", alert.rule())
                .put("kind", alert.kind().word())
                .put("severity", alert.severity().word())
                .put("fired", alert.firedAt())
                .put("told", alert.toldAt())
                .put("key", symptom.key())
                .put("subject", symptom.subject())
                .put("summary", symptom.summary())
                .put("chinese", symptom.chinese())
                .put("value", symptom.value())
                .put("threshold", symptom.threshold())
                .put("path", symptom.path());
        return JSON.writeValueAsString(body);
    }

    private static Alert row(ResultSet row, int index) throws SQLException {
        JsonNode body = JSON.readTree(row.getString(5));
        return new Alert(
                row.getLong(1),
                body.get("rule").asString(),
                AlertKind.find(body.get("kind").asString()).orElseThrow(),
                AlertSeverity.find(body.get("severity").asString()).orElseThrow(),
                Alert.State.of(row.getString(2)),
                row.getLong(3),
                body.get("fired").asLong(),
                0,
                row.getLong(4),
                body.get("told").asLong(),
                new Symptom(
                        body.get("key").asString(),
                        body.get("subject").asString(),
                        body.get("summary").asString(),
                        body.get("chinese").asString(),
                        body.get("value").asDouble(),
                        body.get("threshold").asDouble(),
                        body.get("path").asString()));
    }
}
