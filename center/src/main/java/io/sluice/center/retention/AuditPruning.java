package io.sluice.center.retention;

import io.sluice.center.audit.AuditRow;
import io.sluice.center.audit.AuditSeal;
import io.sluice.center.audit.AuditSegment;
import io.sluice.center.audit.AuditTables;
import io.sluice.center.audit.AuditTree;
import io.sluice.center.audit.LoggedRow;
import io.sluice.center.audit.Segments;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.core.time.Clock;
import io.sluice.runtime.witness.WitnessReport;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Deletes old rows of the audit log, one segment at a time. Each segment is closed in a separate transaction, which also adds a row to the
 * log. Thread-safe.
 *
 * <p>Deletion must not hide a manipulation of the log. Rows are therefore deleted only if a node has witnessed them, and only if each of
 * them is unchanged. If a node or this machine knows another history, nothing is deleted. If no node ever witnessed the log, the center's
 * own newest checkpoint is used instead, and the row of the log records this.
 */
final class AuditPruning {

    /** The time for which old rows are collected, so that a quiet log does not get a segment for each row. */
    static final Duration COLLECTED = Duration.ofDays(1);

    /** The maximum number of rows in a segment. */
    static final int AT_ONCE = 1_000;

    /** The name of the counter with the highest number of rows that a node has witnessed. */
    static final String WITNESSED = "audit_witnessed";

    private final Database database;
    private final CommandLog log;
    private final Clock clock;
    private final Duration retention;
    private final AuditSeal seal;
    private final Supplier<Map<String, WitnessReport>> witnesses;
    private final Supplier<Optional<String>> fault;
    private volatile Optional<String> problem = Optional.empty();

    /**
     * Creates the pruning of a log.
     *
     * @param seal signs that rows were pruned; without the key of the log, nothing is deleted
     * @param witnesses returns the nodes' reports about the log, by the names of the nodes
     * @param fault returns the fault of the log that this machine knows
     */
    AuditPruning(
            Database database,
            CommandLog log,
            Clock clock,
            Duration retention,
            AuditSeal seal,
            Supplier<Map<String, WitnessReport>> witnesses,
            Supplier<Optional<String>> fault) {
        this.database = database;
        this.log = log;
        this.clock = clock;
        this.retention = retention;
        this.seal = seal;
        this.witnesses = witnesses;
        this.fault = fault;
    }

    /** Returns the reason why old rows cannot be deleted; empty if they can. */
    Optional<String> problem() {
        return problem;
    }

    /** Closes the next segment. Returns the number of its rows; 0 if none is due. */
    long prune() {
        Map<String, WitnessReport> said = witnesses.get();
        long now = clock.epochMicros() / 1000;
        Optional<String> doubt = fault.get()
                .map(why -> "old rows of the audit log are kept: " + why)
                .or(() -> database.read(client -> doubt(client, said)));
        if (doubt.isPresent()) {
            problem = doubt;
            return 0;
        }
        try {
            Optional<Long> deleted = database.write(client -> {
                long witnessed = remember(client, said);
                List<LoggedRow> due = due(client, now, witnessed);
                return due.isEmpty() ? Optional.of(0L) : close(client, due, now, witnessed);
            });
            problem = deleted.isPresent()
                    ? Optional.empty()
                    : Optional.of("old rows of the audit log are kept: only its key may sign that they are deleted"
                            + seal.problem().map(why -> "; " + why).orElse(""));
            return deleted.orElse(0L);
        } catch (DamagedRowException e) {
            problem = Optional.of(String.valueOf(e.getMessage()));
            return 0;
        }
    }

    /** Returns the contradiction of a node to this log. An attacker who rewrote the log would want old rows to be deleted. */
    private static Optional<String> doubt(JdbcClient client, Map<String, WitnessReport> said) {
        for (Map.Entry<String, WitnessReport> node : said.entrySet()) {
            WitnessReport report = node.getValue();
            boolean agrees = report.refused().isEmpty()
                    && AuditTree.root(client, report.size())
                            .filter(report.root()::equals)
                            .isPresent();
            if (!agrees) {
                return Optional.of("old rows of the audit log are kept: node " + node.getKey()
                        + " witnessed another history (expected: find out why, see docs/how-to/audit-refusal.md)");
            }
        }
        return Optional.empty();
    }

    /**
     * Stores and returns the highest number of rows that a node has witnessed, because nodes come and go; 0 if no node ever witnessed the
     * log.
     */
    private static long remember(JdbcClient client, Map<String, WitnessReport> said) {
        long known = client.sql("SELECT value FROM counter WHERE name = ?")
                .param(WITNESSED)
                .query(Long.class)
                .optional()
                .orElse(-1L);
        long now = said.values().stream().mapToLong(WitnessReport::size).max().orElse(0);
        if (now > known && now > 0) {
            if (known < 0) {
                client.sql("INSERT INTO counter (name, value) VALUES (?, ?)")
                        .params(WITNESSED, now)
                        .update();
            } else {
                client.sql("UPDATE counter SET value = ? WHERE name = ? AND value < ?")
                        .params(now, WITNESSED, now)
                        .update();
            }
        }
        return Math.max(0, Math.max(known, now));
    }

    /** Returns the next rows to delete; none while there are few and they have only just become old enough. */
    private List<LoggedRow> due(JdbcClient client, long now, long witnessed) {
        long highest = witnessed > 0 ? witnessed : ownCheckpoint(client);
        long before = now - retention.toMillis();
        if (oldest(client) >= before) {
            return List.of();
        }
        List<LoggedRow> rows = LoggedRow.above(client, Segments.end(client)).stream()
                .limit(AT_ONCE)
                .takeWhile(row -> row.row().at() < before && row.row().number() <= highest)
                .toList();
        boolean waits =
                rows.size() < AT_ONCE && !rows.isEmpty() && rows.get(0).row().at() >= before - COLLECTED.toMillis();
        return waits ? List.of() : rows;
    }

    private static long oldest(JdbcClient client) {
        return client.sql("SELECT at FROM command ORDER BY number LIMIT 1")
                .query(Long.class)
                .optional()
                .orElse(Long.MAX_VALUE);
    }

    private static long ownCheckpoint(JdbcClient client) {
        return client.sql("SELECT COALESCE(MAX(size), 0) FROM audit_checkpoint")
                .query(Long.class)
                .single();
    }

    /** Returns the number of rows in the segment; empty if this center cannot sign it. */
    private Optional<Long> close(JdbcClient client, List<LoggedRow> due, long now, long witnessed) {
        requireGood(client, due);
        long last = due.get(due.size() - 1).row().number();
        String root = AuditTree.root(client, last).orElseThrow();
        Optional<AuditSeal.Stamp> stamp = seal.sign(
                client,
                AuditSeal.pruned(AuditTables.log(client), new AuditSegment(Segments.end(client) + 1, last, root, now)));
        if (stamp.isEmpty()) {
            return Optional.empty();
        }
        AuditSegment segment = Segments.close(client, last, now);
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("first", segment.first());
        details.put("last", segment.last());
        details.put("root", segment.root());
        details.put("witnessed", witnessed > 0);
        details.putAll(stamp.get().fields());
        var unused = log.add(client, Actor.CENTER, new Command.Act("prune_audit", "", details));
        return Optional.of((long) due.size());
    }

    private static void requireGood(JdbcClient client, List<LoggedRow> rows) {
        long first = Segments.end(client) + 1;
        List<String> leaves = AuditTables.leaves(client, first, first + rows.size() - 1);
        for (int i = 0; i < rows.size(); i++) {
            LoggedRow logged = rows.get(i);
            AuditRow row = logged.row();
            boolean good = row.number() == first + i
                    && i < leaves.size()
                    && leaves.get(i).equals(row.hash())
                    && (logged.isErased() || logged.isCommitted());
            if (!good) {
                throw new DamagedRowException("old rows of the audit log are kept: row " + (first + i)
                        + " is missing or was changed (expected: find out why, see POST /api/audit/verify)");
            }
        }
    }

    /** Thrown if a row differs from its stored hashes. */
    private static final class DamagedRowException extends RuntimeException {
        private static final long serialVersionUID = 1;

        DamagedRowException(String message) {
            super(message);
        }
    }
}
