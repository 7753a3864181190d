package io.sluice.core.history;

/**
 * A node let somebody pass on permits of a lease, without asking the store. Immutable.
 *
 * @param ask for which ask, see {@link AskIds}
 * @param count of which count
 * @param answers whether that was all that was asked, and whoever asked was told that he may pass: there is no {@link AnswerEvent} of
 *     such an ask, since most decisions are of this kind and each would be written down twice
 * @param ruleVersion the rules that were in force; 0 without rules
 * @param ownNanos the node's monotonic time of it
 * @param endsNanos until when, by the same clock, the node may spend the lease
 * @param epochMicros the node's wall time of it
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
