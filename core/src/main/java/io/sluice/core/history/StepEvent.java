package io.sluice.core.history;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;

/**
 * One step of the store on one count. The steps that changed a count, from any process, are numbered without gaps in the order
 * in which they took effect. Other steps (refusals, looks) carry the number of the last change before them. If the answer to a
 * step was lost, the step is not recorded and its number is missing. Immutable.
 *
 * @param count the count's name in the store
 * @param since the start of the numbering of this count, by the store's time. A new numbering starts after the store lost its data, or
 *     after a process that does not record changed the count; 0 for a step without a change while there was no numbering; {@link #LOCAL}
 *     for a step on a count in the memory of the process
 * @param number the number of the step: 1 for the first step of a numbering that starts on an unused count, 2 if the use at the start is
 *     unknown. For a step without a change, the number of the last step with a change; without a numbering, 0 if the count was unused,
 *     otherwise 1
 * @param changed whether the store wrote something
 * @param atMicros the store's time, the same for all steps of a batch
 */
public record StepEvent(String count, long since, long number, boolean changed, long atMicros, Step step)
        implements HistoryEvent {

    /**
     * The {@code since} of a step on a count of the process itself. These steps have no numbers. A charge or a settlement is recorded after
     * its effect and a return before its effect.
     */
    public static final long LOCAL = -1;

    /** The operation of the store. */
    public sealed interface Step {}

    /**
     * A demand was decided, and charged if {@code charging} and its ask as a whole was allowed.
     *
     * @param ask the trace that joins the demands of one ask, see {@link AskTraces}
     * @param ruleVersion the version of the rules in force; 0 without rules
     */
    public record Asked(String ask, Demand demand, boolean charging, long ruleVersion, Verdict verdict)
            implements Step {}

    /** A charge was given back, as far as it still counted. */
    public record GivenBack(Charge charge) implements Step {}

    /** A permit was renewed, if it was still held. */
    public record Renewed(Charge charge, boolean held) implements Step {}

    /**
     * A reservation was settled now, so its count will not settle it again. Repetitions and settlements that were refused are not
     * recorded.
     *
     * @param change the permits that were charged in addition; negative if permits were given back, rounded towards zero
     */
    public record Settled(Settlement settlement, long change) implements Step {}

    /**
     * A node asked for a lease.
     *
     * @param lease the id of the lease, created by the node and never reused
     * @param wanted the number of permits that the node asked for
     * @param atLeast the smallest number of permits that it would accept
     * @param cap the maximum number of outstanding permits of this count, including this grant
     * @param maxWaitMicros the maximum time until the slot of the first permit
     * @param granted the number of permits that it got; 0 if it was refused, without a charge
     * @param endsMicros the store's time at which the permits stop counting as outstanding
     * @param waitMicros the time until the slot of the first permit; 0 if the limit has no slots
     * @param chargedAtMicros the time of the charge, by the count's own time
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
     * A lease was ended by the node that held it.
     *
     * @param spent the permits that the node reported as spent
     * @param returned the permits that the store's record of the lease had left beyond that, given back as far as they still counted; 0 if
     *     there was no record
     */
    public record Ended(String lease, long spent, long returned) implements Step {}
}
