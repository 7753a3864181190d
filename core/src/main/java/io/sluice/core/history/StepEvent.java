package io.sluice.core.history;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;

/**
 * One step that the store took on one count. The steps that changed a count, from whichever process, are numbered without gaps in
 * the order in which they took effect; others (refusals, looks) name the last of those before them. Steps whose answer was lost are
 * not heard of; their numbers are missing. Immutable.
 *
 * @param count the count's name in the store
 * @param since when the numbering of this count began, by the store's time: another one after the store lost what it had, or
 *     after somebody who does not record changed it; 0 for a step that changed nothing while there was none
 * @param number 1 for the first step of a numbering that begins on an unused count, 2 for that of one of which it is not known
 *     what it begins on. Of a step that changed nothing that of the last one that did; where there is no numbering 0 if the count
 *     was unused, else 1
 * @param changed whether the store wrote something
 * @param atMicros the store's time, the same for all steps of a batch
 */
public record StepEvent(String count, long since, long number, boolean changed, long atMicros, Step step)
        implements HistoryEvent {

    /** What was done. */
    public sealed interface Step {}

    /**
     * A demand was judged, and charged if {@code charging} and its ask as a whole was allowed.
     *
     * @param ask joins the demands of one ask, see {@link AskIds}
     * @param ruleVersion the rules that were in force; 0 without rules
     */
    public record Asked(String ask, Demand demand, boolean charging, long ruleVersion, Verdict verdict)
            implements Step {}

    /** A charge was given back, as far as it still counted. */
    public record GivenBack(Charge charge) implements Step {}

    /** A permit was renewed, if it was still held. */
    public record Renewed(Charge charge, boolean held) implements Step {}

    /**
     * A node asked for a lease.
     *
     * @param lease its id, made by the node and never used again
     * @param wanted how many permits it asked for
     * @param atLeast how many would still do
     * @param cap how many may be outstanding on this count with this grant
     * @param maxWaitMicros how far off the slot of the first may be
     * @param granted how many it got; 0 if it was refused, and then nothing was charged
     * @param endsMicros from when on, by the store's time, they no longer count as outstanding
     * @param waitMicros how far off the slot of the first is; 0 where there are no slots
     * @param chargedAtMicros when they were charged, by the count's own time
     */
    public record Granted(
            String lease,
            Limit limit,
            String key,
            long wanted,
            long atLeast,
            long cap,
            long maxWaitMicros,
            long granted,
            long endsMicros,
            long waitMicros,
            long chargedAtMicros)
            implements Step {}

    /**
     * A lease was ended by the node that had it.
     *
     * @param spent what the node said it had spent of it
     * @param returned what the store's record of the lease had left beyond that, given back as far as it still counted; 0 if
     *     there was no record
     */
    public record Ended(String lease, long spent, long returned) implements Step {}
}
