package io.sluice.replay.advice;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import java.util.List;
import java.util.Optional;

/**
 * The suggestion for one limit. Immutable.
 *
 * @param today the present limit
 * @param kept the reason why the number stays; empty if another number is suggested
 * @param needed the numbers that the log needs for the goal, or the present numbers
 * @param suggested the needed numbers with headroom
 * @param requests the number of requests that the limit counts
 * @param callers the number of callers that the limit distinguishes
 * @param callersAtLeast whether there may be more callers
 * @param refused the number of requests that the limit refuses, or would refuse in shadow mode, in the replay of the suggested
 *     rules
 * @param callersRefused the number of callers of these requests; the number of their addresses if the limit counts all callers
 *     together
 * @param setters the callers that determine the number: the callers with the highest need that the number covers
 * @param leftOut the callers that need more than the goal covers, the highest need first
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
