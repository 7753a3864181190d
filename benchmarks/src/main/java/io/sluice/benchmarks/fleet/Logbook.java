package io.sluice.benchmarks.fleet;

import io.sluice.history.CheckReport;
import io.sluice.history.History;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What became of a fleet.
 *
 * @param history what the nodes wrote down; null if they did not
 * @param report null if there was no history
 * @param histories where they are, if there is something wrong with them
 */
record Logbook(
        Voyage voyage,
        Tally.Totals totals,
        @Nullable History history,
        @Nullable CheckReport report,
        Path histories) {

    static final String HEAD = String.format(
                    "| %-14s | %-11s | %5s | %-21s | %9s | %8s | %11s | %7s | %7s | %-9s |%n",
                    "algorithm",
                    "mode",
                    "load",
                    "mishap",
                    "decisions",
                    "degraded",
                    "utilisation",
                    "calls",
                    "p99 us",
                    "checker")
            + "|----------------|-------------|-------|-----------------------|-----------|----------|-------------|---------|---------|-----------|\n";

    /** How much passed of what the limit lets pass, the burst that it starts with and those who never told left out. */
    double utilisation() {
        return totals.allowed() / (voyage.load().perSecond() * (voyage.load().seconds() + burst()));
    }

    private double burst() {
        return voyage.load().algorithm().endsWith("bucket") ? 1 : 0;
    }

    double callsPerDecision() {
        return (double) totals.calls() / Math.max(1, totals.decisions());
    }

    String row() {
        Load load = voyage.load();
        return String.format(
                Locale.ROOT,
                "| %-14s | %-11s | %3.1f x | %-21s | %9d | %8d | %10.1f%% | %6.2f%% | %7d | %-9s |%n",
                load.algorithm(),
                load.mixed() ? "mixed" : load.leased() ? "leased" : "distributed",
                voyage.times(),
                voyage.mishap().words,
                totals.decisions(),
                totals.degraded(),
                100 * utilisation(),
                100 * callsPerDecision(),
                totals.p99(),
                report == null
                        ? "not asked"
                        : report.isClean() ? "clean" : report.violations().size() + " wrong");
    }
}
