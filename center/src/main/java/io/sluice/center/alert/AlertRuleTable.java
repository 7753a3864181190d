package io.sluice.center.alert;

import io.sluice.center.database.LostRaceException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The table of alert rules that were changed or added. They replace or extend the built-in rules. */
final class AlertRuleTable {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** Returns all rules: the built-in ones first, then the others by id. */
    List<AlertRule> all(JdbcClient client) {
        Map<String, AlertRule> rules = new LinkedHashMap<>();
        AlertRule.builtIn().forEach(rule -> rules.put(rule.id(), rule));
        client.sql("SELECT id, revision, body FROM alert_rule ORDER BY id").query((RowCallbackHandler) row -> {
            AlertRule rule = read(row.getString(1), row.getLong(2), row.getString(3));
            rules.put(rule.id(), rule);
        });
        return List.copyOf(rules.values());
    }

    Optional<AlertRule> find(JdbcClient client, String id) {
        return client.sql("SELECT id, revision, body FROM alert_rule WHERE id = ?")
                .param(id)
                .query((row, index) -> read(row.getString(1), row.getLong(2), row.getString(3)))
                .optional()
                .or(() -> AlertKind.find(id).map(AlertRule::builtIn));
    }

    /**
     * Stores a rule whose revision follows the stored one.
     *
     * @throws LostRaceException if the stored rule has another revision
     */
    void put(JdbcClient client, AlertRule rule) {
        String body = JSON.writeValueAsString(AlertRuleText.fields(rule));
        if (rule.revision() == 1) {
            client.sql("INSERT INTO alert_rule (id, revision, body) VALUES (?, ?, ?)")
                    .params(rule.id(), rule.revision(), body)
                    .update();
        } else {
            requireOne(
                    client.sql("UPDATE alert_rule SET revision = ?, body = ? WHERE id = ? AND revision = ?")
                            .params(rule.revision(), body, rule.id(), rule.revision() - 1)
                            .update(),
                    rule);
        }
    }

    /**
     * Removes the stored form of a rule.
     *
     * @throws LostRaceException if the stored rule has another revision
     */
    void remove(JdbcClient client, AlertRule rule) {
        int rows = client.sql("DELETE FROM alert_rule WHERE id = ? AND revision = ?")
                .params(rule.id(), rule.revision())
                .update();
        if (rule.revision() > 0) {
            requireOne(rows, rule);
        }
    }

    private static void requireOne(int rows, AlertRule rule) {
        if (rows != 1) {
            throw new LostRaceException("alert rule " + rule.id() + ": changed by somebody else");
        }
    }

    int added(JdbcClient client) {
        return all(client).size() - AlertKind.values().length;
    }

    private static AlertRule read(String id, long revision, String text) {
        JsonNode body = JSON.readTree(text);
        AlertKind kind = AlertKind.find(body.get("kind").asString()).orElseThrow();
        AlertRule usual = AlertRule.builtIn(kind);
        return AlertRuleText.with(usual, body).named(id, revision);
    }
}
