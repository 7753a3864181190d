package io.sluice.replay.run;

import io.sluice.rules.model.Rule;
import java.util.List;
import java.util.Optional;

/**
 * The result of one rule. Immutable.
 *
 * @param idle the reason why the rule cannot match any request of a log; empty if it can
 * @param matched the number of requests that the rule applies to
 * @param refused the number of these requests that one of its limits had no room for, or that the rule denies. It let the
 *     others pass
 * @param wouldRefuse the number of these requests that its shadow or candidate limits had no room for
 * @param callersRefused the number of callers that the rule refused, as the refusing limit distinguishes them
 * @param callersAtLeast whether there may be more such callers
 * @param peak the second with the most matching requests
 * @param firstRefusedMicros the time of the first refusal; 0 if there was none
 * @param worst the minute with the most refusals
 * @param top the callers that the rule refused most often
 * @param series its refusals by time; empty if there were none
 * @param inexact the inexact decisions; empty if every decision was exact
 */
public record RuleResult(
        Rule rule,
        Optional<String> idle,
        long matched,
        long refused,
        long wouldRefuse,
        long callersRefused,
        boolean callersAtLeast,
        Moment peak,
        long firstRefusedMicros,
        Moment worst,
        List<LimitResult> limits,
        List<CallerResult> top,
        Optional<Series> series,
        Optional<Inexact> inexact) {

    public RuleResult {
        limits = List.copyOf(limits);
        top = List.copyOf(top);
    }

    /** Returns the requests that the rule let pass. Another rule may have refused them. */
    public long allowed() {
        return matched - refused;
    }
}
