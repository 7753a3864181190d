package io.sluice.benchmarks.faults;

import io.sluice.benchmarks.fleet.Killed;
import io.sluice.benchmarks.fleet.Stopped;
import io.sluice.benchmarks.fleet.Versions;
import io.sluice.history.CheckReport;
import io.sluice.history.Violation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Nodes are killed, stopped, or have different versions. They are real processes, and their histories are checked. */
final class Nodes {

    private Nodes() {}

    /** A node is killed. The permits it had are missing at first, and later all of them are available to another node. */
    static void killed(Trial trial) throws IOException {
        double leases = 0;
        double held = 0;
        long extra = 0;
        int inVain = 0;
        int runs = trial.times(10, 1);
        for (int run = 0; run < runs; run++) {
            Killed leasing = Killed.leasing();
            Killed holding = Killed.holding();
            for (Killed each : List.of(leasing, holding)) {
                inVain += each.lost() > 0 && each.missed() > 0 ? 0 : 1;
                trial.must(Double.isFinite(each.backMillis()), "all permits are available again: " + each);
                mustBeClean(trial, each.report(), each.histories());
                extra += each.report().found();
            }
            leases = Math.max(leases, leasing.backMillis());
            held = Math.max(held, holding.backMillis());
        }
        trial.note(2 * runs + " nodes killed");
        trial.figure("of them without permits to lose", inVain, 0, "");
        double longest = Killed.TTL.toMillis() + 1_000;
        trial.figure("leased permits available again after at most", leases, longest, "ms");
        trial.figure("held permits after at most", held, longest, "ms");
        trial.figure("violations", (double) extra, 0, "");
    }

    static void stopped(Trial trial) throws IOException {
        double seconds =
                trial.lasting(Duration.ofSeconds(10), Duration.ofSeconds(2)).toMillis() / 1e3;
        List<String> algorithms = Stopped.ALGORITHMS.subList(0, trial.times(Stopped.ALGORITHMS.size(), 1));
        long atHand = 0;
        long spends = 0;
        long late = 0;
        int inVain = 0;
        for (String algorithm : algorithms) {
            Stopped node = Stopped.during(algorithm, seconds);
            atHand += node.atHand();
            spends += node.spends();
            late += node.report().violations().stream()
                    .filter(violation -> violation.kind() == Violation.Kind.LEASE_EXPIRED)
                    .count();
            inVain += node.seconds() > 0.8 * seconds && node.spends() > 0 ? 0 : 1;
            mustBeClean(trial, node.report(), node.histories());
        }
        trial.note(algorithms.size() + " nodes stopped for " + seconds + " s with " + atHand
                + " unspent leased permits; after they continued they spent " + spends + " times");
        trial.figure("of them without permits to spend", inVain, 0, "");
        trial.figure("spends after the end of a lease", (double) late, 0, "");
    }

    /** Runs fleets with leases and with single decisions, for each algorithm that can be leased. */
    static void versions(Trial trial) throws IOException {
        double seconds =
                trial.lasting(Duration.ofSeconds(4), Duration.ofSeconds(1)).toMillis() / 1e3;
        int runs = trial.times(2 * Stopped.ALGORITHMS.size(), 1);
        long decisions = 0;
        long found = 0;
        for (int i = 0; i < runs; i++) {
            String algorithm = Stopped.ALGORITHMS.get(i / 2 % Stopped.ALGORITHMS.size());
            Versions mix = Versions.together(algorithm, i % 2 == 0, seconds);
            decisions += mix.decisions();
            found += mix.report().found();
            trial.must(mix.libraries() == 2, "both versions are loaded in Redis: " + mix.libraries());
            trial.must(mix.decisions() > 0, "there are decisions");
            trial.must(mix.report().missing() == 0, "every step is recorded: " + mix.report());
            mustBeClean(trial, mix.report(), mix.histories());
        }
        trial.note(runs + " fleets with both versions, " + decisions + " decisions");
        trial.figure("violations", (double) found, 0, "");
    }

    private static void mustBeClean(Trial trial, CheckReport report, Path histories) {
        trial.must(report.isClean(), report + " in " + histories);
    }
}
