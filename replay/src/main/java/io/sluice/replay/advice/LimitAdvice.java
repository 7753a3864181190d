package io.sluice.replay.advice;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import java.util.List;
import java.util.Optional;

/**
 * What is suggested for one limit. Immutable.
 *
 * @param today the limit as it is
 * @param kept why its number stays; empty if another one is suggested
 * @param needed the numbers that the log needs for the goal, or those of today
 * @param suggested the same with headroom
 * @param requests the requests that the limit counts
 * @param callers the callers that it tells apart
 * @param callersAtLeast whether there are more of them
 * @param refused the requests that it refuses, or would refuse in shadow mode, in the replay of the suggested rules
 * @param callersRefused the callers of these requests; their addresses if the limit counts all callers together
 * @param setters the callers that set the number: of those that it is enough for, the ones that need most
 * @param leftOut the callers that need more than the log needs for the goal, those first that need most
 */
public record LimitAdvice(
        Rule rule,
        RuleLimit today,
        Optional<String> kept,
        Limit needed,
        Limit suggested,
        long requests,
        long callers,
        boolean callersAtLeast,
        long refused,
        long callersRefused,
        List<CallerNeed> setters,
        List<CallerNeed> leftOut) {

    public LimitAdvice {
        setters = List.copyOf(setters);
        leftOut = List.copyOf(leftOut);
    }
}
