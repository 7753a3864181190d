package io.sluice.center.web.reply;

import io.sluice.center.audit.AuditReport;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What the verifier found in the log.
 *
 * @param good whether nothing is wrong; that alone does not mean that the log is verified
 * @param verified whether nothing is wrong, the caller named the key, and at least one node witnesses the log
 * @param unverified why it is not verified
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

    /** Whether each row is what was once written. */
    public record Integrity(
            boolean good,
            @Nullable Long firstBad,
            List<String> problems,
            int checkpoints,
            long signedUntil,
            @Nullable Instant signedAt) {}

    /** Whether all rows are there. */
    public record Completeness(
            boolean good, @Nullable Long firstMissing, List<String> problems, long expected, long pruned) {}

    /** What nodes say. */
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
                        RolloutReply.instant(integrity.signedAtMillis())),
                new Completeness(
                        completeness.good(),
                        number(completeness.firstMissing()),
                        completeness.problems(),
                        completeness.expected(),
                        completeness.pruned()),
                new Witness(
                        witness.good(),
                        witness.until(),
                        RolloutReply.instant(witness.atMillis()),
                        witness.nodes(),
                        witness.agreeing(),
                        witness.notYet(),
                        witness.contradictions()));
    }

    private static @Nullable Long number(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }
}
