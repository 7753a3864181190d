package io.sluice.center.series;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of one step.
 *
 * @param at the start of the step
 * @param shadowRefused requests that a shadow limit would have refused; each of them also counts as allowed or refused
 * @param degraded requests that were decided without the shared store; each of them also counts as allowed or refused
 * @param peakAllowed the maximum number of requests that passed in one second
 * @param peakRefused the maximum number of requests that were refused in one second
 * @param p50Us the time that half of the decisions did not exceed, in microseconds; missing for a rule
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SeriesPoint(
        Instant at,
        long allowed,
        long refused,
        long shadowRefused,
        long degraded,
        long peakAllowed,
        long peakRefused,
        @Nullable Long p50Us,
        @Nullable Long p95Us,
        @Nullable Long p99Us) {

    static SeriesPoint ofRule(long at, SeriesSum sum) {
        return new SeriesPoint(
                Instant.ofEpochSecond(at),
                sum.allowed(),
                sum.refused(),
                sum.shadowRefused(),
                sum.degraded(),
                sum.peakAllowed(),
                sum.peakRefused(),
                null,
                null,
                null);
    }

    static SeriesPoint ofTotal(long at, SeriesSum sum) {
        return new SeriesPoint(
                Instant.ofEpochSecond(at),
                sum.allowed(),
                sum.refused(),
                sum.shadowRefused(),
                sum.degraded(),
                sum.peakAllowed(),
                sum.peakRefused(),
                sum.latencies().micros(0.5),
                sum.latencies().micros(0.95),
                sum.latencies().micros(0.99));
    }
}
