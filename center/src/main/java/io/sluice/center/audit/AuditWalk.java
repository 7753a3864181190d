package io.sluice.center.audit;

import io.sluice.runtime.witness.LogKey;
import io.sluice.runtime.witness.WitnessReport;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Passes the log of a database to the verifier, some rows at a time. Not thread-safe. */
final class AuditWalk {

    private final AuditCheck check = new AuditCheck();
    private final Deque<AuditSegment> segments;
    private final long end;
    private long nextLeaf = 1;

    /** The number of the last row that was passed. The first row is 1, but a forged row may have a lower number. */
    private long last = Long.MIN_VALUE;

    private boolean isAtEnd;

    private AuditWalk(Deque<AuditSegment> segments, long end) {
        this.segments = segments;
        this.end = end;
    }

    /**
     * Starts at the first row.
     *
     * @param remembered a row that was seen earlier, outside the database
     * @param trusted a key that was known earlier, outside the database
     * @param witnesses the reports of nodes by the names of the nodes
     */
    static AuditWalk begin(
            JdbcClient client, AuditHead remembered, Optional<LogKey> trusted, Map<String, WitnessReport> witnesses) {
        AuditHead head = AuditTree.head(client);
        long counter = AuditTables.counter(client);
        AuditWalk walk =
                new AuditWalk(new ArrayDeque<>(AuditTables.segments(client)), Math.max(head.number(), counter));
        AuditCheck check = walk.check;
        check.log(AuditTables.log(client));
        attempt(check, "keys", () -> AuditTables.keys(client).forEach(check::key));
        trusted.ifPresent(check::trust);
        attempt(check, "checkpoints", () -> AuditTables.checkpoints(client).forEach(check::checkpoint));
        witnesses.forEach(check::witness);
        check.remembered(remembered);
        check.head(head);
        check.counter(counter);
        return walk;
    }

    /** Checks the whole log in one transaction. */
    static AuditReport whole(
            JdbcClient client, AuditHead remembered, Optional<LogKey> trusted, Map<String, WitnessReport> witnesses) {
        AuditWalk walk = begin(client, remembered, trusted, witnesses);
        // Reads without an upper bound, because a row with a number above the highest assigned number is a forgery.
        while (walk.step(client, Long.MAX_VALUE)) {
            // The loop condition does the work.
        }
        return walk.report();
    }

    /**
     * Passes on the next rows, at most a thousand, up to the last row that existed at the start. Rows that are written later wait
     * for the next walk. Returns false at the end.
     */
    boolean step(JdbcClient client) {
        return step(client, end);
    }

    /** Returns the number of the last row that existed at the start. */
    long end() {
        return end;
    }

    /** Returns the report. No other call may follow. */
    AuditReport report() {
        return check.finish();
    }

    private boolean step(JdbcClient client, long until) {
        AuditSegment segment = segments.peek();
        if (segment != null) {
            leaves(client, segment);
            return true;
        }
        List<LoggedRow> rows = isAtEnd ? List.of() : LoggedRow.above(client, last);
        for (LoggedRow row : rows) {
            last = row.row().number();
            if (last > until) {
                isAtEnd = true;
                return false;
            }
            check.accept(row);
        }
        return !rows.isEmpty();
    }

    private void leaves(JdbcClient client, AuditSegment segment) {
        if (nextLeaf <= segment.first()) {
            nextLeaf = segment.first();
            check.segment(segment);
        }
        long to = Math.min(segment.last(), nextLeaf + LoggedRow.AT_ONCE - 1);
        AuditTables.leaves(client, nextLeaf, to).forEach(check::leaf);
        nextLeaf = to + 1;
        if (nextLeaf > segment.last()) {
            segments.remove();
            nextLeaf = Long.MIN_VALUE;
        }
    }

    private static void attempt(AuditCheck check, String table, Runnable reading) {
        try {
            reading.run();
        } catch (IllegalArgumentException e) {
            check.damage("changed: the table of " + table + " is damaged: " + e.getMessage());
        }
    }
}
