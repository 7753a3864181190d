package io.sluice.center.web;

import io.sluice.center.audit.AuditQuery;
import io.sluice.center.audit.AuditRow;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.web.reply.AuditRowReply;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The API of the audit log: actions and refusals with their actor, time, origin and reason. */
@RestController
final class AuditLogRoutes {

    private static final int MOST_IN_LIST = 200;
    private static final Set<String> OUTCOMES = Set.of("", AuditRow.DONE, AuditRow.REFUSED);

    private final CenterParts center;

    AuditLogRoutes(CenterParts center) {
        this.center = center;
    }

    @GetMapping("/api/audit")
    List<AuditRowReply> rows(
            @RequestParam(name = "below", defaultValue = "" + Long.MAX_VALUE) long below,
            @RequestParam(name = "limit", defaultValue = "50") int limit,
            @RequestParam(name = "actor", defaultValue = "") String actor,
            @RequestParam(name = "kind", defaultValue = "") String kind,
            @RequestParam(name = "outcome", defaultValue = "") String outcome,
            @RequestParam(name = "since", defaultValue = "") String since,
            @RequestParam(name = "until", defaultValue = "") String until) {
        if (!OUTCOMES.contains(outcome)) {
            throw RefusedException.invalid("outcome: unknown (expected: done or refused)");
        }
        AuditQuery query = new AuditQuery(
                below,
                Math.max(1, Math.min(limit, MOST_IN_LIST)),
                actor,
                kind,
                outcome,
                millis("since", since, 0),
                millis("until", until, Long.MAX_VALUE));
        return center.database().read(query::rows).stream()
                .map(AuditRowReply::of)
                .toList();
    }

    private static long millis(String name, String text, long otherwise) {
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            Instant at = OffsetDateTime.parse(text).toInstant();
            return at.toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            throw RefusedException.invalid(
                    name + ": not a time with its zone (expected: such as 2027-01-01T00:00:00Z)");
        }
    }
}
