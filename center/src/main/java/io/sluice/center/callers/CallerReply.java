package io.sluice.center.callers;

import io.sluice.center.adjust.Adjustment;
import io.sluice.center.callers.TopReply.TopEntry;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What is known of one caller, in the API.
 *
 * @param caller the masked text or, without one, {@code #} and the beginning of the hash
 * @param answered whether a node knows the caller, so that {@code limits} says how its limits stand
 * @param limits the limits that match the caller, as {@code POST /v1/explain} tells them
 * @param refusals how often it was refused in the last hour, by rule and limit
 * @param overrides the overrides in force that name this hash
 */
public record CallerReply(
        String caller,
        String hash,
        boolean answered,
        List<Map<String, Object>> limits,
        List<TopEntry> refusals,
        List<HashOverride> overrides) {

    /** An override in force. */
    public record HashOverride(long id, String rule, String limit, String numbers, Instant until, String reason) {

        static HashOverride of(Adjustment each) {
            return new HashOverride(
                    each.id(),
                    each.rule(),
                    each.limit(),
                    each.numbers(),
                    Instant.ofEpochMilli(each.until()),
                    each.reason());
        }
    }
}
