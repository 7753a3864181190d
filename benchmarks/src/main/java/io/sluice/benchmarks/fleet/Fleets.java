package io.sluice.benchmarks.fleet;

import io.sluice.benchmarks.goals.Figures;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** All runs of a fleet of 4 processes on one Redis, for each algorithm, load and fault, and the table of their results. */
public final class Fleets {

    private static final int NODES = 4;
    private static final int MANY_NODES = 32;
    private static final long PER_SECOND = 2_000;
    static final List<String> LEASED = List.of("token_bucket", "leaky_bucket", "fixed_window", "sliding_window");
    private static final List<String> OTHERS = List.of("sliding_log", "concurrency");
    private static final double BRIEF = 0.25;
    private static final double[] LOADS = {0.5, 1, 5};

    private Fleets() {}

    /**
     * Executes all runs, prints each row as soon as it is known, and returns the table.
     *
     * @param scale multiplies the duration of the runs; with less than 1, only loads of the limit and above it are recorded, and
     *     with less than a quarter, only token buckets run
     */
    public static String run(double scale, PrintStream out, Figures figures) throws IOException {
        StringBuilder table = new StringBuilder(FleetReport.HEAD);
        out.print(FleetReport.HEAD);
        Map<Boolean, Integer> violations = new HashMap<>(Map.of(true, 0, false, 0));
        for (FleetRun run : all(scale)) {
            FleetReport result = run.execute(true);
            out.print(result.row());
            table.append(result.row());
            if (result.report() != null && !result.report().isClean()) {
                violations.merge(
                        run.load().leased(), result.report().violations().size(), Integer::sum);
                out.println(result.report() + "\nThe histories are in " + result.histories());
            }
        }
        figures.add("violations/leased", violations.getOrDefault(true, 0));
        figures.add("violations/distributed", violations.getOrDefault(false, 0));
        figures.add(
                "violations",
                violations.values().stream().mapToInt(each -> each).sum());
        String head = String.format(
                Locale.ROOT,
                "%nWithout histories, at 10,000 requests per second on each node; at last %d nodes with %,d together:%n%n%s",
                MANY_NODES,
                PER_SECOND * 5,
                FleetReport.HEAD);
        out.print(head);
        table.append(head);
        for (FleetRun run : fast(scale)) {
            FleetReport result = run.execute(false);
            out.print(result.row());
            table.append(result.row());
            String name = run.nodes() == MANY_NODES
                    ? MANY_NODES + " nodes/"
                    : String.format(
                            Locale.ROOT, "10,000 per s/%s/%.1f x/", run.load().algorithm(), run.times());
            if (run.load().leased()) {
                figures.add(name + "calls", result.callsPerDecision());
                figures.add(name + "used", result.utilisation());
            }
        }
        return table.toString();
    }

    /** Returns runs in which each node asks for 10,000 permits of one key per second. The limit is twice the load, or a fifth. */
    private static List<FleetRun> fast(double scale) {
        List<FleetRun> fast = new ArrayList<>();
        double seconds = 5 * scale;
        for (String algorithm : leased(scale)) {
            fast.add(FleetRun.of(algorithm, 80_000, true, false, NODES, 0.5, seconds, FleetFault.NONE));
            fast.add(FleetRun.of(algorithm, 8_000, true, false, NODES, 5, seconds, FleetFault.NONE));
        }
        fast.add(FleetRun.of("token_bucket", 8_000, false, false, NODES, 5, seconds, FleetFault.NONE));
        fast.add(FleetRun.of("token_bucket", PER_SECOND, true, false, MANY_NODES, 5, seconds, FleetFault.NONE));
        return fast;
    }

    /** Returns all recorded runs. Each takes as long as its fault needs. */
    private static List<FleetRun> all(double scale) {
        List<FleetRun> all = new ArrayList<>();
        for (String algorithm : leased(scale)) {
            for (double load : LOADS) {
                if (scale >= 1 || load >= 1) {
                    all.add(newRun(algorithm, false, false, load, 3 * scale, FleetFault.NONE));
                    all.add(newRun(algorithm, true, false, load, 3 * scale, FleetFault.NONE));
                }
            }
            all.add(newRun(algorithm, true, true, 1, 3 * scale, FleetFault.NONE));
            for (FleetFault fault : List.of(FleetFault.KILL, FleetFault.FLUSH, FleetFault.RESTART)) {
                all.add(newRun(algorithm, true, false, 5, 4 * scale, fault));
            }
            all.add(newRun(algorithm, true, false, 5, 20 * scale, FleetFault.STOP));
        }
        for (String algorithm : scale < BRIEF ? List.<String>of() : OTHERS) {
            all.add(newRun(algorithm, false, false, 5, 3 * scale, FleetFault.NONE));
        }
        return all;
    }

    private static List<String> leased(double scale) {
        return scale < BRIEF ? LEASED.subList(0, 1) : LEASED;
    }

    static FleetRun newRun(
            String algorithm, boolean leased, boolean mixed, double times, double seconds, FleetFault fault) {
        return FleetRun.of(algorithm, PER_SECOND, leased, mixed, NODES, times, seconds, fault);
    }
}
