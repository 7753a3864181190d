package io.sluice.center.audit;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The result of a verification.
 *
 * @param rows the number of rows with content; pruned rows do not count
 * @param head the root of the tree up to the last good row
 * @param firstBad the number of the first row that is bad or missing for any reason; empty if there is none
 * @param problem a description of the first fault; empty if there is none
 * @param remembered the number of the newest row that is remembered outside the database; 0 if none is
 * @param unverified the reasons why the log does not count as verified, as sentences; empty exactly if it is verified
 */
public record AuditReport(
        long rows,
        String head,
        OptionalLong firstBad,
        Optional<String> problem,
        long remembered,
        Integrity integrity,
        Completeness completeness,
        Witnessed witness,
        List<String> unverified) {

    public AuditReport {
        unverified = List.copyOf(unverified);
    }

    /** Returns whether no fault was found. This alone does not mean that the log is verified. */
    public boolean good() {
        return problem.isEmpty();
    }

    /** Returns whether no fault was found, the key is trusted, and at least one witness agrees. */
    public boolean verified() {
        return unverified.isEmpty();
    }

    /**
     * The result of comparing each row with the row that was originally written.
     *
     * @param firstBad the first changed row; empty if no row was changed, or if the problem belongs to no row
     * @param problems the problems as sentences, ordered by row
     * @param checkpoints the number of good checkpoints
     * @param signedUntil the last row that a good checkpoint covers; 0 if there is none
     * @param signedAtMillis the time of that checkpoint's signature, in milliseconds since 1970; 0 if there is none
     */
    public record Integrity(
            OptionalLong firstBad, List<String> problems, int checkpoints, long signedUntil, long signedAtMillis) {

        public Integrity {
            problems = List.copyOf(problems);
        }

        public boolean good() {
            return problems.isEmpty();
        }
    }

    /**
     * The result of the search for missing rows.
     *
     * @param firstMissing the first missing row; empty if none is missing
     * @param problems the problems as sentences
     * @param expected the highest row number that any source knows
     * @param pruned the last row that was pruned because of its age; 0 if none was
     */
    public record Completeness(OptionalLong firstMissing, List<String> problems, long expected, long pruned) {

        public Completeness {
            problems = List.copyOf(problems);
        }

        public boolean good() {
            return problems.isEmpty();
        }
    }

    /**
     * The result of comparing the log with the reports of its witnesses.
     *
     * @param until the last row that a witness vouches for; 0 if none does
     * @param atMillis the time when the checkpoint of that witness was signed, in milliseconds since 1970; 0 if there is none
     * @param nodes the number of witnesses that vouch up to that row
     * @param agreeing the number of witnesses that agree with the log at the row that each has reached
     * @param notYet the number of later rows that no witness has seen yet
     * @param contradictions the contradictions between witnesses and the log, as sentences
     */
    public record Witnessed(
            long until, long atMillis, int nodes, int agreeing, long notYet, List<String> contradictions) {

        public Witnessed {
            contradictions = List.copyOf(contradictions);
        }

        public boolean good() {
            return contradictions.isEmpty();
        }
    }
}
