package io.sluice.replay.advice;

import io.sluice.replay.run.ReplayResult;
import java.util.List;

/**
 * Suggested numbers for the limits of a rule set. Immutable.
 *
 * @param limits in document order
 * @param document the rules with these numbers, as YAML
 * @param result the replay of that document, compared with the rules of today
 * @param findings what there is to know, in sentences
 * @param passes how often the log was read
 */
public record Advice(
        AdviceGoal goal,
        List<LimitAdvice> limits,
        String document,
        ReplayResult result,
        List<String> findings,
        int passes) {

    public Advice {
        limits = List.copyOf(limits);
        findings = List.copyOf(findings);
    }
}
