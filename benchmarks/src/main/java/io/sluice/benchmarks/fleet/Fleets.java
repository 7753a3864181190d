package io.sluice.benchmarks.fleet;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** All runs of a fleet of 4 processes on one Redis, for each algorithm, load and fault, and the table of their results. */
public final class Fleets {

    private static final int NODES = 4;
    private static final long PER_SECOND = 2_000;
    static final List<String> LEASED = List.of("token_bucket", "leaky_bucket", "fixed_window", "sliding_window");
    private static final List<String> OTHERS = List.of("sliding_log", "concurrency");
    private static final double[] LOADS = {0.5, 1, 5};

    private Fleets() {}

    /**
     * Executes all runs. Appends the rows to a table, and prints each as soon as it is known.
     *
     * @return whether the checker found no violation
     */
    public static boolean run(PrintStream out, StringBuilder table) throws IOException {
        boolean clean = true;
        table.append(FleetReport.HEAD);
        out.print(FleetReport.HEAD);
        for (FleetRun run : all()) {
            FleetReport result = run.execute(true);
            out.print(result.row());
            table.append(result.row());
            if (result.report() != null && !result.report().isClean()) {
                clean = false;
                out.println(result.report() + "\nThe histories are in " + result.histories());
            }
        }
        String head = "\nWithout histories, at 10,000 requests per second on each node:\n\n" + FleetReport.HEAD;
        out.print(head);
        table.append(head);
        for (FleetRun run : fast()) {
            FleetReport result = run.execute(false);
            out.print(result.row());
            table.append(result.row());
        }
        return clean;
    }

    /** Returns runs in which each node asks for 10,000 permits of one key per second. The limit is twice the load, or a fifth. */
    private static List<FleetRun> fast() {
        List<FleetRun> fast = new ArrayList<>();
        for (String algorithm : LEASED) {
            fast.add(FleetRun.of(algorithm, 80_000, true, false, NODES, 0.5, 5, FleetFault.NONE));
            fast.add(FleetRun.of(algorithm, 8_000, true, false, NODES, 5, 5, FleetFault.NONE));
        }
        fast.add(FleetRun.of("token_bucket", 8_000, false, false, NODES, 5, 5, FleetFault.NONE));
        return fast;
    }

    /** Returns all recorded runs. Each takes as long as its fault needs. */
    static List<FleetRun> all() {
        List<FleetRun> all = new ArrayList<>();
        for (String algorithm : LEASED) {
            for (double load : LOADS) {
                all.add(newRun(algorithm, false, false, load, 3, FleetFault.NONE));
                all.add(newRun(algorithm, true, false, load, 3, FleetFault.NONE));
            }
            all.add(newRun(algorithm, true, true, 1, 3, FleetFault.NONE));
            for (FleetFault fault : List.of(FleetFault.KILL, FleetFault.FLUSH, FleetFault.RESTART)) {
                all.add(newRun(algorithm, true, false, 5, 4, fault));
            }
            all.add(newRun(algorithm, true, false, 5, 20, FleetFault.STOP));
        }
        for (String algorithm : OTHERS) {
            all.add(newRun(algorithm, false, false, 5, 3, FleetFault.NONE));
        }
        return all;
    }

    static FleetRun newRun(
            String algorithm, boolean leased, boolean mixed, double times, double seconds, FleetFault fault) {
        return FleetRun.of(algorithm, PER_SECOND, leased, mixed, NODES, times, seconds, fault);
    }
}
