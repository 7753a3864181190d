package io.sluice.center.export;

import io.sluice.center.audit.AuditRow;
import io.sluice.center.audit.LoggedRow;
import java.time.Instant;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A row of the log as JSON, on one line. */
public final class RowJson {

    private static final JsonMapper JSON = JsonMapper.shared();

    private RowJson() {}

    /** Returns a row for other programs, such as a log server. Erased content is absent. */
    public static String told(LoggedRow logged, String log) {
        ObjectNode json = fields(logged, log);
        if (!logged.isErased()) {
            json.set("details", details(logged.body()));
        }
        return PlainJson.of(JSON.writeValueAsString(json));
    }

    /** Returns the same JSON without details. */
    public static String shortened(LoggedRow logged, String log) {
        ObjectNode json = fields(logged, log);
        json.put("details_left_out", logged.body().length());
        return PlainJson.of(JSON.writeValueAsString(json));
    }

    private static ObjectNode fields(LoggedRow logged, String log) {
        AuditRow row = logged.row();
        ObjectNode json = JSON.createObjectNode();
        json.put("log", log)
                .put("number", row.number())
                .put("at", Instant.ofEpochMilli(row.at()).toString())
                .put("actor", row.actor())
                .put("kind", row.kind())
                .put("outcome", row.outcome())
                .put("expected", row.expected())
                .put("hash", logged.hash());
        if (logged.isErased()) {
            return json.put("erased_by", logged.erasedBy());
        }
        return json.put("from", logged.origin()).put("reason", logged.reason());
    }

    /** Returns a row with all data that its hash and its commitment are computed from. */
    static ObjectNode whole(LoggedRow logged) {
        AuditRow row = logged.row();
        return JSON.createObjectNode()
                .put("row", row.number())
                .put("at", row.at())
                .put("actor", row.actor())
                .put("kind", row.kind())
                .put("expected", row.expected())
                .put("outcome", row.outcome())
                .put("from", logged.origin())
                .put("reason", logged.reason())
                .put("body", logged.body())
                .put("salt", logged.salt())
                .put("commitment", row.commitment())
                .put("hash", logged.hash())
                .put("erased_by", logged.erasedBy());
    }

    /** Returns the details of a body. A body that was damaged in the database is returned as a text. */
    private static JsonNode details(String body) {
        try {
            return JSON.readTree(body);
        } catch (JacksonException e) {
            return JSON.getNodeFactory().stringNode(body);
        }
    }
}
