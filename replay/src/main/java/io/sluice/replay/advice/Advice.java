package io.sluice.replay.advice;

import io.sluice.replay.run.ReplayResult;
import java.util.List;

/**
 * Suggested numbers for the limits of a rule set. Immutable.
 *
 * @param limits the advice for each limit, in document order
 * @param document the rules with these numbers, as YAML
 * @param result the replay of that document, compared with the present rules
 * @param findings remarks about the numbers, as sentences
 * @param passes the number of times that the log was read
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
