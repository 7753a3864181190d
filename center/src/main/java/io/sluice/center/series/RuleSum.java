package io.sluice.center.series;

import java.time.Instant;

/**
 * What a rule decided over a whole time.
 *
 * @param rule its id; empty for requests that no rule matched
 * @param shadowRefused requests that a shadow limit would have refused; these are also in one of the others
 * @param degraded requests that were decided without the shared store; these are also in one of the others
 * @param peakAllowed the requests that passed in the second that had most of them
 * @param peakRefused the requests that were refused in the second that had most of them
 * @param lastAt when the newest minute begins in which it decided something; in a long time, the hour if that was some hours ago
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
