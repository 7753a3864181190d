package io.sluice.benchmarks.fleet;

import io.sluice.history.CheckReport;
import io.sluice.history.History;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The result of a {@link FleetRun}.
 *
 * @param history the recorded history of all nodes; null if it was not recorded
 * @param report the checker's report; null if there is no history
 * @param histories the folder of the histories, which is kept only if they have violations
 */
record FleetReport(
        FleetRun run,
        Tally.Totals totals,
        @Nullable History history,
        @Nullable CheckReport report,
        Path histories) {

    static final String HEAD = String.format(
                    "| %-14s | %-11s | %5s | %-21s | %9s | %8s | %11s | %7s | %7s | %-9s |%n",
                    "algorithm",
                    "mode",
                    "load",
                    "fault",
                    "decisions",
                    "degraded",
                    "utilisation",
                    "calls",
                    "p99 us",
                    "checker")
            + "|----------------|-------------|-------|-----------------------|-----------|----------|-------------|---------|---------|-----------|\n";

    /** Returns the part of the limit that was used. The limit includes its initial burst. Killed nodes are not counted. */
    double utilisation() {
        return totals.allowed() / (run.load().perSecond() * (run.load().seconds() + burst()));
    }

    /** Returns the burst in seconds. A leaky bucket has none for requests that do not wait. */
    private double burst() {
        return run.load().algorithm().equals("token_bucket") ? 1 : 0;
    }

    double callsPerDecision() {
        return (double) totals.calls() / Math.max(1, totals.decisions());
    }

    String row() {
        Load load = run.load();
        return String.format(
                Locale.ROOT,
                "| %-14s | %-11s | %3.1f x | %-21s | %9d | %8d | %10.1f%% | %6.2f%% | %7d | %-9s |%n",
                load.algorithm(),
                load.mixed() ? "mixed" : load.leased() ? "leased" : "distributed",
                run.times(),
                run.fault().words,
                totals.decisions(),
                totals.degraded(),
                100 * utilisation(),
                100 * callsPerDecision(),
                totals.p99(),
                report == null
                        ? "not run"
                        : report.isClean() ? "clean" : report.violations().size() + " violations");
    }
}
