package io.sluice.runtime.fleet;

import io.sluice.runtime.caller.CallerAnswer;
import io.sluice.runtime.erasure.ErasureResult;
import io.sluice.runtime.witness.WitnessReport;
import java.util.List;
import java.util.Optional;

/**
 * The answers of a process to the center, and the kinds of questions that it answers.
 *
 * @param witness the report of its witness of the audit log; empty if the witness holds nothing
 * @param erased the results of the center's orders to erase
 * @param callers answers to the center's questions about callers
 * @param explains whether it answers the center's questions about requests. Older nodes do not report that
 * @param records whether it records requests, and answers the center's questions for them. Older nodes do not report that
 */
public record NodeAnswers(
        Optional<WitnessReport> witness,
        List<ErasureResult> erased,
        List<CallerAnswer> callers,
        boolean explains,
        boolean records) {

    /** The answers of a process that answers nothing. */
    public static final NodeAnswers NONE = new NodeAnswers(Optional.empty(), List.of(), List.of(), false, false);

    public NodeAnswers {
        erased = List.copyOf(erased);
        callers = List.copyOf(callers);
    }

    /** Returns a copy with the report of the witness of the audit log. */
    public NodeAnswers with(Optional<WitnessReport> held) {
        return new NodeAnswers(held, erased, callers, explains, records);
    }

    /** Returns a copy with the results of the center's orders. */
    public NodeAnswers with(List<ErasureResult> results) {
        return new NodeAnswers(witness, results, callers, explains, records);
    }

    /** Returns a copy with answers to the center's questions about callers. */
    public NodeAnswers withCallers(List<CallerAnswer> given) {
        return new NodeAnswers(witness, erased, given, explains, records);
    }

    /** Returns a copy with the announcement that the process answers questions about requests. */
    public NodeAnswers explaining() {
        return new NodeAnswers(witness, erased, callers, true, records);
    }

    /** Returns a copy with the announcement that the process records requests. */
    public NodeAnswers recording() {
        return new NodeAnswers(witness, erased, callers, explains, true);
    }
}
