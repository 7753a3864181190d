package io.sluice.replay.run;

import io.sluice.rules.model.Rule;
import java.util.List;
import java.util.Optional;

/**
 * What one rule did. Immutable.
 *
 * @param idle why the rule cannot match any request of a log; empty if it can
 * @param matched the requests that it applies to
 * @param refused those that one of its limits had no room for, or that it denies. It let the others pass
 * @param wouldRefuse those that its shadow or candidate limits had no room for
 * @param callersRefused how many callers it refused, as the refusing limit tells them apart
 * @param callersAtLeast whether there may be more of them
 * @param peak the second with most matching requests
 * @param firstRefusedMicros the first refusal; 0 if there was none
 * @param worst the minute with most refusals
 * @param top the callers that it refused most
 * @param series its refusals by time; empty if there were none
 * @param inexact empty if every decision was exact
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
