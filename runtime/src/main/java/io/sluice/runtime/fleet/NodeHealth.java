package io.sluice.runtime.fleet;

import io.sluice.runtime.fleet.NodeReport.Breaker;
import io.sluice.runtime.fleet.NodeReport.Mode;
import java.util.List;
import java.util.Optional;

/**
 * The health of a process: how it decides, and its problems.
 *
 * @param mode how it decides now
 * @param breaker the state of the breaker in front of its store
 * @param findings problems that do not stop decisions, as sentences
 * @param limiter the measurements of its limiter; empty if it does not report them
 */
public record NodeHealth(Mode mode, Breaker breaker, List<String> findings, Optional<LimiterHealth> limiter) {

    private static final int MOST_FINDINGS = 20;

    public NodeHealth {
        findings = ReportText.cut(findings, MOST_FINDINGS);
    }

    /** Returns the health of a process without findings and without measurements. */
    public static NodeHealth of(Mode mode, Breaker breaker) {
        return new NodeHealth(mode, breaker, List.of(), Optional.empty());
    }
}
