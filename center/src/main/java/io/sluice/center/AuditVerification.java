package io.sluice.center;

import io.sluice.center.AuditVerdict.Section;
import io.sluice.center.AuditVerdict.State;
import io.sluice.center.audit.AuditCheck;
import io.sluice.center.audit.AuditReport;
import io.sluice.center.export.ExportReader;
import io.sluice.runtime.witness.HeldCheckpoint;
import io.sluice.runtime.witness.LogKey;
import io.sluice.runtime.witness.WitnessReport;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Verifies an exported audit log without a center. Not thread-safe.
 *
 * <p>Statements of nodes that come through the center cannot make a log verified, because the center could invent them. They can only count
 * against the log.
 */
public final class AuditVerification {

    private @Nullable LogKey trusted;
    private final Map<String, HeldCheckpoint> witnesses = new LinkedHashMap<>();
    private final List<Claim> claims = new ArrayList<>();

    /**
     * A statement of a node that comes through the center.
     *
     * @param log the id of the log that the node witnesses; empty for the log of the export
     * @param size the number of rows that it has witnessed
     * @param root the root of the tree over these rows
     * @param key the id of the key that it trusts
     * @param refused the reason why it refuses the center's offer; empty if it does not
     */
    public record Claim(String node, String log, long size, String root, String key, Optional<String> refused) {}

    /**
     * Trusts a key that is known from another source.
     *
     * @param text the key in Base64, or the text of a node's file {@code audit-witness}, which contains the key that the node trusts
     * @throws IllegalArgumentException if the text has another form
     */
    public void trust(String text) {
        trusted = text.strip().startsWith("{")
                ? HeldCheckpoint.parse(text.strip()).key()
                : new LogKey(text.strip());
    }

    /**
     * Adds a witness.
     *
     * @param name the name that people see
     * @param text the text of a node's file {@code audit-witness}
     * @throws IllegalArgumentException if the text has another form
     */
    public void witness(String name, String text) {
        witnesses.put(name, HeldCheckpoint.parse(text.strip()));
    }

    /** Adds a statement of a node that comes through the center. */
    public void claim(Claim claim) {
        claims.add(claim);
    }

    /**
     * Verifies an export in JSON lines, which may be compressed.
     *
     * @throws IOException if it cannot be read or is not an export; its message is for people
     */
    public AuditVerdict verify(InputStream export) throws IOException {
        ExportReader reader = new ExportReader(export);
        AuditCheck check = new AuditCheck();
        if (trusted != null) {
            check.trust(trusted);
        }
        witnesses.forEach((name, held) -> check.witness(name, held.checkpoint()));
        AuditCheck hearsay = new AuditCheck();
        List<String> unreadable = new ArrayList<>();
        claims.forEach(claim -> report(claim, reader.log())
                .ifPresentOrElse(
                        report -> hearsay.witness(claim.node(), report),
                        () -> unreadable.add("what " + claim.node() + " says cannot be read")));
        ExportReader.Ending ending = reader.feed(claims.isEmpty() ? List.of(check) : List.of(check, hearsay));
        return verdict(reader, check.finish(), ending, claims.isEmpty() ? null : hearsay.finish(), unreadable);
    }

    private static Optional<WitnessReport> report(Claim claim, String log) {
        try {
            return Optional.of(new WitnessReport(
                    claim.log().isEmpty() ? log : claim.log(),
                    claim.size(),
                    claim.root(),
                    0,
                    claim.key(),
                    claim.refused()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private AuditVerdict verdict(
            ExportReader reader,
            AuditReport report,
            ExportReader.Ending ending,
            @Nullable AuditReport hearsay,
            List<String> unreadable) {
        List<String> against = new ArrayList<>();
        if (hearsay != null) {
            against.addAll(hearsay.witness().contradictions());
        }
        Section completeness = completeness(report, ending);
        Section witnessed = witnessed(report, hearsay, against, unreadable);
        State state = !report.good() || ending.cut().isPresent() || !against.isEmpty()
                ? State.BROKEN
                : report.verified() ? State.VERIFIED : State.NOT_VERIFIED;
        OptionalLong firstBad = report.firstBad().isPresent() || ending.cut().isEmpty()
                ? report.firstBad()
                : OptionalLong.of(ending.lastRow() + 1);
        return new AuditVerdict(
                state,
                conclusion(state, report, ending, against),
                reader.log(),
                report.rows(),
                firstBad,
                integrity(report),
                completeness,
                witnessed,
                report.witness().until(),
                report.witness().nodes());
    }

    private String conclusion(State state, AuditReport report, ExportReader.Ending ending, List<String> against) {
        if (state == State.VERIFIED) {
            long until = report.witness().until();
            long later = ending.lastRow() - until;
            return "verified: rows up to " + until + ", witnessed by "
                    + nodes(report.witness().nodes())
                    + (later > 0 ? "; rows up to " + ending.lastRow() + " are whole, but not witnessed yet" : "");
        }
        if (state == State.BROKEN) {
            String row =
                    report.firstBad().isPresent() ? "row " + report.firstBad().getAsLong() + ": " : "";
            return "BROKEN: "
                    + report.problem()
                            .map(problem -> row + problem)
                            .or(ending::cut)
                            .orElseGet(() -> against.get(0));
        }
        List<String> missing = new ArrayList<>();
        if (trusted == null) {
            missing.add("no key was given (--key)");
        } else if (report.integrity().signedUntil() == 0) {
            missing.add("no checkpoint is signed by the given key or one that follows from it");
        }
        if (report.witness().agreeing() == 0) {
            missing.add(
                    witnesses.isEmpty()
                            ? "no witness was given (--witness)"
                            : "no witness vouches for a row of this log");
        }
        return "NOT verified: "
                + (missing.isEmpty() ? String.join("; ", report.unverified()) : String.join("; ", missing));
    }

    private static Section integrity(AuditReport report) {
        AuditReport.Integrity found = report.integrity();
        if (!found.good()) {
            return new Section(false, found.problems());
        }
        String signed = found.signedUntil() == 0
                ? "no row is signed"
                : found.checkpoints() + (found.checkpoints() == 1 ? " checkpoint" : " checkpoints")
                        + ", signed until row " + found.signedUntil() + " ("
                        + Instant.ofEpochMilli(found.signedAtMillis()) + ")";
        return new Section(
                true,
                List.of(report.rows() + (report.rows() == 1 ? " row" : " rows") + " as they were written; " + signed));
    }

    private static Section completeness(AuditReport report, ExportReader.Ending ending) {
        List<String> lines = new ArrayList<>(report.completeness().problems());
        ending.cut().ifPresent(lines::add);
        if (!lines.isEmpty()) {
            return new Section(false, lines);
        }
        lines.add(ending.lastRow() == 0 ? "the log is empty" : "all rows up to " + ending.lastRow());
        long pruned = report.completeness().pruned();
        if (pruned > 0) {
            lines.add("rows 1.." + pruned + " were deleted because of their age; their hashes are there");
        }
        return new Section(true, lines);
    }

    private Section witnessed(
            AuditReport report, @Nullable AuditReport hearsay, List<String> against, List<String> unreadable) {
        AuditReport.Witnessed found = report.witness();
        List<String> lines = new ArrayList<>(found.contradictions());
        against.forEach(each -> lines.add("through the center: " + each));
        if (found.until() > 0) {
            lines.add("until row " + found.until() + " (" + Instant.ofEpochMilli(found.atMillis()) + ") by "
                    + nodes(found.nodes()) + "; " + found.agreeing() + " of " + witnesses.size() + " agree");
            if (found.notYet() > 0) {
                lines.add(found.notYet() + (found.notYet() == 1 ? " later row is" : " later rows are")
                        + " not witnessed yet");
            }
        } else {
            lines.add("by nobody");
        }
        if (hearsay != null && hearsay.witness().until() > 0) {
            lines.add("through the center: until row " + hearsay.witness().until() + " by "
                    + nodes(hearsay.witness().nodes()) + " (this does not count, because the center could make it up)");
        }
        unreadable.forEach(each -> lines.add("through the center: " + each));
        return new Section(found.good() && against.isEmpty(), lines);
    }

    private static String nodes(int count) {
        return count == 1 ? "1 node" : count + " nodes";
    }
}
