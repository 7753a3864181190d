package io.sluice.center.series;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What was decided in one step.
 *
 * @param at when the step begins
 * @param shadowRefused requests that a shadow limit would have refused; these are also in one of the others
 * @param degraded requests that were decided without the shared store; these are also in one of the others
 * @param peakAllowed the requests that passed in the second that had most of them
 * @param peakRefused the requests that were refused in the second that had most of them
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
