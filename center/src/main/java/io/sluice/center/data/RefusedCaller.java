package io.sluice.center.data;

import io.sluice.rules.caller.CallerMark;

/**
 * A caller that was refused.
 *
 * @param rule that refused; empty if it is about all rules
 * @param limit that refused, as reports name it; empty if the rule itself denied, or it is about all rules
 * @param attributes what the caller is, such as {@code ip}
 * @param refused how often, at most
 * @param error how much lower the true number may be
 */
public record RefusedCaller(
        String rule, String limit, String attributes, CallerMark caller, long refused, long error) {}
