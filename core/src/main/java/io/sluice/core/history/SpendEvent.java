package io.sluice.core.history;

/**
 * A node let a caller pass on permits of a lease, without asking the store. Immutable.
 *
 * @param ask the ask, see {@link AskTraces}
 * @param count the count
 * @param answers whether this covered the whole ask and the caller received its answer. Such an ask has no {@link AnswerEvent}:
 *     most decisions are of this kind, and each would be recorded twice
 * @param ruleVersion the version of the rules in force; 0 without rules
 * @param ownNanos the node's monotonic time of the event
 * @param endsNanos the time, by the same clock, until which the node may spend the lease
 * @param epochMicros the node's wall time of the event
 */
public record SpendEvent(
        String ask,
        String count,
        String lease,
        long permits,
        boolean answers,
        long ruleVersion,
        long ownNanos,
        long endsNanos,
        long epochMicros)
        implements HistoryEvent {}
