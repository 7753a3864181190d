package io.sluice.center.audit;

import io.sluice.runtime.witness.LogKey;
import io.sluice.runtime.witness.WitnessReport;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Gives a database to the verifier. */
final class AuditVerifier {

    private static final int AT_ONCE = 1_000;

    private AuditVerifier() {}

    /**
     * Checks everything.
     *
     * @param remembered a row that was seen before, outside of the database
     * @param trusted a key that was known before, outside of the database
     * @param witnesses what nodes say, by their names
     */
    static AuditReport verify(
            JdbcClient client, AuditHead remembered, Optional<LogKey> trusted, Map<String, WitnessReport> witnesses) {
        AuditCheck check = new AuditCheck();
        check.log(AuditTables.log(client));
        attempt(check, "keys", () -> AuditTables.keys(client).forEach(check::key));
        trusted.ifPresent(check::trust);
        attempt(check, "checkpoints", () -> AuditTables.checkpoints(client).forEach(check::checkpoint));
        witnesses.forEach(check::witness);
        check.remembered(remembered);
        check.head(AuditTree.head(client));
        check.counter(AuditTables.counter(client));
        for (AuditSegment segment : AuditTables.segments(client)) {
            check.segment(segment);
            for (long row = segment.first(); row <= segment.last(); row += AT_ONCE) {
                AuditTables.leaves(client, row, Math.min(segment.last(), row + AT_ONCE - 1))
                        .forEach(check::leaf);
            }
        }
        // The first row is 1. A forged row may have a lower number.
        long last = Long.MIN_VALUE;
        for (List<LoggedRow> rows = LoggedRow.above(client, last);
                !rows.isEmpty();
                rows = LoggedRow.above(client, last)) {
            rows.forEach(check::accept);
            last = rows.get(rows.size() - 1).row().number();
        }
        return check.finish();
    }

    private static void attempt(AuditCheck check, String table, Runnable reading) {
        try {
            reading.run();
        } catch (IllegalArgumentException e) {
            check.damage("changed: the table of " + table + " is damaged: " + e.getMessage());
        }
    }
}
