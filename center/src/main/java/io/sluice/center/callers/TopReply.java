package io.sluice.center.callers;

import io.sluice.center.data.RefusedCaller;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who was refused most often, in the API.
 *
 * @param from the time that the numbers begin with
 * @param to the time that they end before
 * @param by what the entries are, as it was asked for
 * @param refused how many refusals there were, also of those that are not listed
 * @param callers how many callers were refused, about
 * @param dropped how many refusals of the whole fleet are missing, because a node or the center had no room for them or a node was killed; null
 *     without the right to see the fleet
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
     * @param caller the masked text or, without one, {@code #} and the beginning of the hash; null for a rule
     * @param hash the keyed hash of the caller; null for a rule
     * @param rule that refused; null if it is about all rules
     * @param limit that refused; null if it is about all rules or a whole rule, or the rule itself denied
     * @param attributes what the caller is, such as {@code tenant,user}; null for a rule
     * @param refused how often, at most
     * @param error how much lower the true number may be
     * @param distinct how many callers a rule refused, about; null for a caller
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
