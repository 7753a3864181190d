package io.sluice.center.auditlog;

import io.sluice.center.audit.AuditMemory;
import io.sluice.center.audit.AuditQuery;
import io.sluice.center.audit.AuditReport;
import io.sluice.center.audit.AuditRow;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.NodeState;
import io.sluice.center.http.RequestBody;
import io.sluice.center.refusal.RefusedException;
import io.sluice.runtime.witness.LogKey;
import io.sluice.runtime.witness.WitnessReport;
import jakarta.servlet.http.HttpServletRequest;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The API of the audit log: actions and refusals with their actor, time, origin and reason. */
@RestController
public final class AuditLogRoutes {

    private static final int MOST_IN_LIST = 200;
    private static final Set<String> OUTCOMES = Set.of("", AuditRow.DONE, AuditRow.REFUSED);

    private final Database database;
    private final CommandLog log;
    private final AuditMemory audit;
    private final LiveNodes nodes;

    AuditLogRoutes(Database database, CommandLog log, AuditMemory audit, LiveNodes nodes) {
        this.database = database;
        this.log = log;
        this.audit = audit;
        this.nodes = nodes;
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
        return database.read(query::rows).stream().map(AuditRowReply::of).toList();
    }

    /** Checks the whole log. A key from the log itself proves nothing, so only the caller can name the key to trust. */
    @PostMapping("/api/audit/verify")
    AuditReply verify(HttpServletRequest request) {
        String key = RequestBody.string(RequestBody.object(request, Set.of("key")), "key", "");
        Optional<LogKey> trusted = trusted(key);
        List<NodeState> live = nodes.live();
        Map<String, WitnessReport> all = witnesses(live);
        Map<String, WitnessReport> known = witnesses(
                live.stream().filter(node -> node.way() == NodeState.Way.HTTP).toList());
        // Any client that can write to Redis can report there, so such a report can contradict the log but not
        // confirm it.
        AuditReport report = audit.verify(trusted, all);
        boolean isSecondNeeded = known.size() < all.size() && report.witness().good();
        return AuditReply.of(isSecondNeeded ? audit.verify(trusted, known) : report);
    }

    private static Map<String, WitnessReport> witnesses(List<NodeState> nodes) {
        Map<String, WitnessReport> witnesses = new LinkedHashMap<>();
        nodes.forEach(node -> node.report()
                .answers()
                .witness()
                .ifPresent(report -> witnesses.put("node " + node.report().node(), report)));
        return witnesses;
    }

    private static Optional<LogKey> trusted(String key) {
        try {
            return key.isEmpty() ? Optional.empty() : Optional.of(new LogKey(key));
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid(String.valueOf(e.getMessage()));
        }
    }

    @GetMapping("/api/commands")
    List<CommandReply> commands(
            @RequestParam(name = "below", defaultValue = "" + Long.MAX_VALUE) long below,
            @RequestParam(name = "limit", defaultValue = "50") int limit) {
        int most = Math.max(1, Math.min(limit, MOST_IN_LIST));
        return database.read(client -> log.newest(client, below, most)).stream()
                .map(CommandReply::of)
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
