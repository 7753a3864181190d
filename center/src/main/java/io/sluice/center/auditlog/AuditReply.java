package io.sluice.center.auditlog;

import io.sluice.center.audit.AuditReport;
import io.sluice.center.http.ReplyTime;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The result of verifying the log.
 *
 * @param good whether no fault was found; this alone does not mean that the log is verified
 * @param verified whether no fault was found, the caller named the key, and at least one node witnesses the log
 * @param unverified the reasons why it is not verified
 */
public record AuditReply(
        boolean good,
        boolean verified,
        List<String> unverified,
        long rows,
        String head,
        @Nullable Long firstBad,
        @Nullable String problem,
        long remembered,
        Integrity integrity,
        Completeness completeness,
        Witness witness) {

    /** The result of comparing each row with the row that was originally written. */
    public record Integrity(
            boolean good,
            @Nullable Long firstBad,
            List<String> problems,
            int checkpoints,
            long signedUntil,
            @Nullable Instant signedAt) {}

    /** The result of the search for missing rows. */
    public record Completeness(
            boolean good, @Nullable Long firstMissing, List<String> problems, long expected, long pruned) {}

    /** The result of comparing the log with the reports of nodes. */
    public record Witness(
            boolean good,
            long until,
            @Nullable Instant at,
            int nodes,
            int agreeing,
            long notYet,
            List<String> contradictions) {}

    public static AuditReply of(AuditReport report) {
        AuditReport.Integrity integrity = report.integrity();
        AuditReport.Completeness completeness = report.completeness();
        AuditReport.Witnessed witness = report.witness();
        return new AuditReply(
                report.good(),
                report.verified(),
                report.unverified(),
                report.rows(),
                report.head(),
                number(report.firstBad()),
                report.problem().orElse(null),
                report.remembered(),
                new Integrity(
                        integrity.good(),
                        number(integrity.firstBad()),
                        integrity.problems(),
                        integrity.checkpoints(),
                        integrity.signedUntil(),
                        ReplyTime.of(integrity.signedAtMillis())),
                new Completeness(
                        completeness.good(),
                        number(completeness.firstMissing()),
                        completeness.problems(),
                        completeness.expected(),
                        completeness.pruned()),
                new Witness(
                        witness.good(),
                        witness.until(),
                        ReplyTime.of(witness.atMillis()),
                        witness.nodes(),
                        witness.agreeing(),
                        witness.notYet(),
                        witness.contradictions()));
    }

    private static @Nullable Long number(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }
}
