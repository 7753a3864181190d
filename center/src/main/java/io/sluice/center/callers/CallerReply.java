package io.sluice.center.callers;

import io.sluice.center.adjust.Adjustment;
import io.sluice.center.callers.TopReply.TopEntry;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The known facts about one caller, in the API.
 *
 * @param caller the masked text or, without one, {@code #} and the start of the hash
 * @param answered whether a node knows the caller; if so, {@code limits} contains the state of its limits
 * @param limits the limits that match the caller, as in the reply of {@code POST /v1/explain}
 * @param refusals the refusals of the caller in the last hour, by rule and limit
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
