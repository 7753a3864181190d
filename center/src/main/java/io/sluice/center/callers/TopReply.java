package io.sluice.center.callers;

import io.sluice.center.data.RefusedCaller;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The most refused callers or rules, in the API.
 *
 * @param from the start of the time span
 * @param to the end of the time span, exclusive
 * @param by the kind of entries that was requested
 * @param refused the number of refusals, including entries that are not listed
 * @param callers the approximate number of refused callers
 * @param dropped the number of refusals of the whole fleet that are missing because a node or the center had no room for them or a
 *     node was killed; null without the right to see the fleet
 */
public record TopReply(
        Instant from,
        Instant to,
        String by,
        List<TopEntry> entries,
        long refused,
        long callers,
        @Nullable Long dropped) {

    /**
     * A caller or a rule.
     *
     * @param caller the masked text or, without one, {@code #} and the start of the hash; null for a rule
     * @param hash the keyed hash of the caller; null for a rule
     * @param rule the rule that refused; null if the entry covers all rules
     * @param limit the limit that refused; null if the entry covers all rules or a whole rule, or if the rule itself denied
     * @param attributes the attributes that identify the caller, such as {@code tenant,user}; null for a rule
     * @param refused the number of refusals, rounded up by at most {@code error}
     * @param error how much lower the true number may be
     * @param distinct the approximate number of callers that a rule refused; null for a caller
     */
    public record TopEntry(
            @Nullable String caller,
            @Nullable String hash,
            @Nullable String rule,
            @Nullable String limit,
            @Nullable String attributes,
            long refused,
            long error,
            @Nullable Long distinct) {

        static TopEntry of(RefusedCaller each) {
            return new TopEntry(
                    each.caller().shown(),
                    each.caller().hash(),
                    given(each.rule()),
                    given(each.limit()),
                    each.attributes(),
                    each.refused(),
                    each.error(),
                    null);
        }

        static TopEntry of(RefusedRules.Refusing each) {
            return new TopEntry(null, null, each.rule(), null, null, each.refused(), 0, each.callers());
        }

        private static @Nullable String given(String text) {
            return text.isEmpty() ? null : text;
        }
    }
}
