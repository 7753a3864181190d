package io.sluice.history;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What came of checking recordings. Immutable.
 *
 * @param files how many files were read
 * @param bytes how many bytes they have
 * @param runs how many runs of processes recorded them
 * @param first the time of the first event; empty if there is none
 * @param last the time of the last event
 * @param decisions how many decisions were recorded
 * @param settlements how many reservations were settled; one from two limits counts as two
 * @param limits the names of the limits that were charged
 * @param gaps how often events are missing because they could not be recorded in time
 * @param lost how many events are missing in these gaps
 * @param check what the checker found
 * @param unjudged what could not be judged, as sentences; empty if everything was
 * @param remarks what else the reader should know, as sentences
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

    /** What the recordings prove. */
    public enum Verdict {
        /** Nothing was exceeded. */
        CLEAN("clean"),
        /** Something was. */
        VIOLATED("violated"),
        /** Nothing was exceeded as far as the recordings tell, but they do not tell everything. */
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
