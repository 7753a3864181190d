package io.sluice.center.audit;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the verifier found.
 *
 * @param rows how many rows with their content there are; rows that were pruned do not count
 * @param head the root of the tree up to the last row that is good
 * @param firstBad the number of the first row that is bad or missing, whatever the reason; empty if there is none
 * @param problem what is wrong first; empty if nothing is
 * @param remembered the number of the newest row that is remembered outside of the database; 0 if none is
 * @param unverified why nobody may call this log verified, as sentences; empty exactly if it is verified
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

    /** Returns whether nothing is wrong. That alone does not mean that the log is verified. */
    public boolean good() {
        return problem.isEmpty();
    }

    /** Returns whether nothing is wrong, the key is trusted, and at least one witness agrees. */
    public boolean verified() {
        return unverified.isEmpty();
    }

    /**
     * Whether each row is what was once written.
     *
     * @param firstBad the first row that is not; empty if all are, or if the problem belongs to no row
     * @param problems as sentences, the first bad row first
     * @param checkpoints how many checkpoints are good
     * @param signedUntil the last row that a good checkpoint signs; 0 if none does
     * @param signedAtMillis when that checkpoint was signed, in milliseconds since 1970; 0 if there is none
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
     * Whether all rows are there.
     *
     * @param firstMissing the first row that is missing; empty if none is
     * @param problems as sentences
     * @param expected the highest row that anything knows of
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
     * What witnesses say.
     *
     * @param until the last row that a witness vouches for; 0 if none does
     * @param atMillis when the checkpoint that it holds was signed, in milliseconds since 1970; 0 if there is none
     * @param nodes how many witnesses vouch up to that row
     * @param agreeing how many witnesses agree with the log, whatever row they have reached
     * @param notYet how many rows follow that no witness has seen yet
     * @param contradictions what witnesses say against the log, as sentences
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
