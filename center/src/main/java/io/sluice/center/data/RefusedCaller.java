package io.sluice.center.data;

import io.sluice.rules.caller.CallerMark;

/**
 * A refused caller.
 *
 * @param rule the rule that refused; empty if the counts are for all rules
 * @param limit the limit that refused, as reports name it; empty if the rule itself denied, or if the counts are for all rules
 * @param attributes the attributes that identify the caller, such as {@code ip}
 * @param refused an upper bound of the number of refusals
 * @param error the maximum by which the true number may be lower
 */
public record RefusedCaller(
        String rule, String limit, String attributes, CallerMark caller, long refused, long error) {}
