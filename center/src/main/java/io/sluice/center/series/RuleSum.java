package io.sluice.center.series;

import java.time.Instant;

/**
 * The decisions of a rule over a whole time span.
 *
 * @param rule the id of the rule; empty for requests that no rule matched
 * @param shadowRefused requests that a shadow limit would have refused; each of them also counts as allowed or refused
 * @param degraded requests that were decided without the shared store; each of them also counts as allowed or refused
 * @param peakAllowed the maximum number of requests that passed in one second
 * @param peakRefused the maximum number of requests that were refused in one second
 * @param lastAt the start of the newest minute with a decision; in a long time span, the start of the hour if it was some hours
 *     ago
 */
public record RuleSum(
        String rule,
        long allowed,
        long refused,
        long shadowRefused,
        long degraded,
        long peakAllowed,
        long peakRefused,
        Instant lastAt) {

    static RuleSum of(String rule, RuleTotal total) {
        SeriesSum sum = total.sum();
        return new RuleSum(
                rule,
                sum.allowed(),
                sum.refused(),
                sum.shadowRefused(),
                sum.degraded(),
                sum.peakAllowed(),
                sum.peakRefused(),
                Instant.ofEpochSecond(total.lastAt()));
    }
}
