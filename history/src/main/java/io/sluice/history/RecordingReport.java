package io.sluice.history;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The result of checking recordings. Immutable.
 *
 * @param files the number of files that were read
 * @param bytes the size of these files in bytes
 * @param runs the number of runs of processes that recorded them
 * @param first the time of the first event; empty if there is none
 * @param last the time of the last event
 * @param decisions the number of recorded decisions
 * @param settlements the number of settled reservations; a reservation from two limits counts as two
 * @param limits the names of the limits that were charged
 * @param gaps the number of gaps, where events are missing because they could not be recorded in time
 * @param lost the number of events that are missing in these gaps
 * @param check the result of the checker
 * @param unjudged sentences about checks that were not possible; empty if all were
 * @param remarks sentences about other facts that the reader should know
 */
public record RecordingReport(
        int files,
        long bytes,
        int runs,
        Optional<Instant> first,
        Optional<Instant> last,
        long decisions,
        long settlements,
        SortedSet<String> limits,
        long gaps,
        long lost,
        CheckReport check,
        List<String> unjudged,
        List<String> remarks) {

    public RecordingReport {
        limits = Collections.unmodifiableSortedSet(new TreeSet<>(limits));
        unjudged = List.copyOf(unjudged);
        remarks = List.copyOf(remarks);
    }

    /** The conclusion from the recordings. */
    public enum Verdict {
        /** No violation was found, and everything was checked. */
        CLEAN("clean"),
        /** A violation was found. */
        VIOLATED("violated"),
        /** No violation was found, but not everything could be checked. */
        INCOMPLETE("incomplete");

        private final String word;

        Verdict(String word) {
            this.word = word;
        }

        /** Returns the spelling in reports. */
        public String word() {
            return word;
        }
    }

    public Verdict verdict() {
        if (!check.isClean()) {
            return Verdict.VIOLATED;
        }
        return unjudged.isEmpty() ? Verdict.CLEAN : Verdict.INCOMPLETE;
    }
}
