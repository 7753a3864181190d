package io.sluice.benchmarks.faults;

import io.sluice.benchmarks.goals.Figures;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** All faults that can be injected, and the table of what is promised and what was measured. */
public final class Faults {

    private Faults() {}

    public static List<Fault> all() {
        return List.of(
                new Fault(
                        "F1",
                        "Redis killed",
                        "p99 ≤ 25 ms in the first second, then ≤ 1 ms; recovery ≤ 1 s",
                        Outages::killed),
                new Fault(
                        "F2",
                        "Redis hung (SIGSTOP)",
                        "p99 ≤ 25 ms, p99.9 ≤ 40 ms; heap < 32 MB more at 5,000/s; threads constant; recovery ≤ 1 s",
                        Outages::hung),
                new Fault(
                        "F3",
                        "Redis slow by 15 ms, by 100 ms",
                        "+15 ms: p50 ≤ 1 ms on leased keys; +100 ms: p99 ≤ 25 ms, recovery ≤ 1 s",
                        Outages::slow),
                new Fault(
                        "F4",
                        "half-open connection",
                        "no connection stuck > 3 s; recovery ≤ 1 s after the link returns",
                        Outages::halfOpen),
                new Fault(
                        "F5",
                        "Redis restarted empty",
                        "extra ≤ one burst per key and the local share",
                        Outages::restartedEmpty),
                new Fault(
                        "F6",
                        "failover with unreplicated writes",
                        "extra ≤ b + r × lost interval; checker passes",
                        Failovers::all),
                new Fault(
                        "F7",
                        "scripts, then functions too, flushed every 100 ms",
                        "every decision by Redis",
                        Outages::flushed),
                new Fault(
                        "F9",
                        "CLUSTERDOWN, READONLY, LOADING, BUSY, MASTERDOWN, OOM, NOAUTH, NOPERM, MISCONF",
                        "none reaches the caller; recovery ≤ 1 s",
                        Outages::errors),
                new Fault("F11", "client clocks ± 1 h", "0 changed decisions", Surroundings::clientClocks),
                new Fault("F12", "allkeys-lru", "reported at start", Surroundings::evicting),
                new Fault(
                        "F13",
                        "Redis memory full",
                        "existing keys 100 % correct, new keys by on_failure",
                        Surroundings::memoryFull),
                new Fault(
                        "F14",
                        "50 nodes reconnect at once",
                        "operations in the first 5 s ≤ 1.5 × steady",
                        Surroundings::reconnecting),
                new Fault(
                        "F15",
                        "node killed with leases or permits",
                        "recovery ≤ ttl (1 s) + 1 s; extra 0 (checker)",
                        Nodes::killed),
                new Fault(
                        "F16",
                        "node stopped (SIGSTOP), then continued",
                        "nothing spent at or after the end of a lease (checker)",
                        Nodes::stopped),
                new Fault(
                        "F17",
                        "answers lost after Redis charged",
                        "never repeated: passed ≤ charged ≤ asked",
                        Outages::answersLost),
                new Fault(
                        "F18",
                        "pub/sub messages lost, sources restarted",
                        "0 updates lost; ≤ 2 s with messages, ≤ 7 s without",
                        Releases::messagesLost),
                new Fault("F19", "updates reordered or replayed", "0 regressions", Releases::reordered),
                new Fault(
                        "F20",
                        "poisoned rules in Redis",
                        "refused, last good set stays; visible ≤ 5 s",
                        Releases::poisoned),
                new Fault("F23", "Redis down at node start", "ready ≤ 5 s", Releases::startWithoutRedis),
                new Fault("F24", "log sink blocked", "dropped and counted; p99 unchanged", Sinks::blocked),
                new Fault("F25", "old and new function at once", "checker passes with both", Nodes::versions));
    }

    /** Runs all faults, or those with the given ids, and prints a row of the table for each. */
    public static List<String> run(double scale, List<String> ids, PrintStream out, Figures figures) throws Exception {
        List<String> lines =
                new ArrayList<>(List.of("| # | fault | promised | measured | missed |", "|---|---|---|---|---|"));
        lines.forEach(out::println);
        int broken = 0;
        for (Fault fault : all()) {
            if (!ids.isEmpty() && !ids.contains(fault.id())) {
                continue;
            }
            Trial trial = new Trial(scale);
            fault.scenario().run(trial);
            broken += trial.broken().size();
            List<String> missed = new ArrayList<>(trial.broken());
            missed.addAll(trial.missed());
            String line = "| " + fault.id() + " | " + fault.what() + " | " + fault.promised() + " | "
                    + String.join("; ", trial.measured()) + " | " + String.join("; ", missed) + " |";
            out.println(line);
            lines.add(line);
        }
        figures.add("violations", broken);
        return lines;
    }
}
