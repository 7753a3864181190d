package io.sluice.center.auditlog;

import io.sluice.center.audit.LoggedRow;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A row of the audit log. */
public record AuditRowReply(
        long number,
        Instant at,
        String actor,
        @Nullable String from,
        String kind,
        String outcome,
        @Nullable String reason,
        @Nullable JsonNode details,
        String hash,
        boolean erased) {

    public static AuditRowReply of(LoggedRow row) {
        return new AuditRowReply(
                row.row().number(),
                Instant.ofEpochMilli(row.row().at()),
                row.row().actor(),
                row.isErased() ? null : row.origin(),
                row.row().kind(),
                row.row().outcome(),
                row.isErased() ? null : row.reason(),
                row.isErased() ? null : JsonMapper.shared().readTree(row.body()),
                row.hash(),
                row.isErased());
    }
}
