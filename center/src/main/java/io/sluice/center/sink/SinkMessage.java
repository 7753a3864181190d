package io.sluice.center.sink;

import io.sluice.center.audit.AuditRow;
import io.sluice.center.audit.LoggedRow;
import io.sluice.center.export.RowJson;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import tools.jackson.databind.json.JsonMapper;

/**
 * A line of a sink.
 *
 * @param log the id of the log
 * @param at milliseconds since the epoch
 * @param kind the kind of the row
 * @param warns whether the row reports a refusal or a loss
 * @param json the complete row
 * @param shortened the row without details
 */
record SinkMessage(String log, long at, String kind, boolean warns, String json, String shortened) {

    static SinkMessage of(LoggedRow row, String log) {
        return new SinkMessage(
                log,
                row.row().at(),
                row.row().kind(),
                row.row().outcome().equals(AuditRow.REFUSED),
                RowJson.told(row, log),
                RowJson.shortened(row, log));
    }

    /** Returns a message that rows are missing in this sink. */
    static SinkMessage dropped(String log, long at, Dropped rows) {
        String json = JsonMapper.shared()
                .writeValueAsString(JsonMapper.shared()
                        .createObjectNode()
                        .put("log", log)
                        .put("at", Instant.ofEpochMilli(at).toString())
                        .put("kind", "audit_rows_dropped")
                        .put("first", rows.first())
                        .put("last", rows.last()));
        return new SinkMessage(log, at, "audit_rows_dropped", true, json, json);
    }

    /** Returns the text in UTF-8; without details if it would be longer. */
    byte[] bytes(int most) {
        byte[] whole = json.getBytes(StandardCharsets.UTF_8);
        return whole.length <= most ? whole : shortened.getBytes(StandardCharsets.UTF_8);
    }

    /** Rows that a sink will never get. */
    record Dropped(long first, long last) {

        long count() {
            return last - first + 1;
        }

        @Override
        public String toString() {
            return first == last ? "row " + first : "rows " + first + ".." + last;
        }
    }
}
