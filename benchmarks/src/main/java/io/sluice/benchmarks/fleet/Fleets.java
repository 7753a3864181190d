package io.sluice.benchmarks.fleet;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** All that is shown of fleets: 4 processes on one Redis, each algorithm, each load, each mishap, and the checker's word on each. */
public final class Fleets {

    private static final int NODES = 4;
    private static final long PER_SECOND = 2_000;
    static final List<String> LEASED = List.of("token_bucket", "leaky_bucket", "fixed_window", "sliding_window");
    private static final List<String> OTHERS = List.of("sliding_log", "concurrency");
    private static final double[] LOADS = {0.5, 1, 5};

    private Fleets() {}

    /**
     * Fills a table, printed as it grows.
     *
     * @return whether all was as promised
     */
    public static boolean run(PrintStream out, StringBuilder table) throws IOException {
        boolean clean = true;
        table.append(Logbook.HEAD);
        out.print(Logbook.HEAD);
        for (Voyage voyage : all()) {
            Logbook log = voyage.sail(true);
            out.print(log.row());
            table.append(log.row());
            if (log.report() != null && !log.report().isClean()) {
                clean = false;
                out.println(log.report() + "\nhistories in " + log.histories());
            }
        }
        String head = "\nWithout histories, at 10,000/s and more on each node:\n\n" + Logbook.HEAD;
        out.print(head);
        table.append(head);
        for (Voyage voyage : fast()) {
            Logbook log = voyage.sail(false);
            out.print(log.row());
            table.append(log.row());
        }
        return clean;
    }

    /** Each node is asked for 10,000 permits of one key in a second, below the limit and at five times of it. */
    private static List<Voyage> fast() {
        List<Voyage> fast = new ArrayList<>();
        for (String algorithm : LEASED) {
            fast.add(Voyage.of(algorithm, 80_000, true, false, NODES, 0.5, 5, Mishap.NONE));
            fast.add(Voyage.of(algorithm, 8_000, true, false, NODES, 5, 5, Mishap.NONE));
        }
        fast.add(Voyage.of("token_bucket", 8_000, false, false, NODES, 5, 5, Mishap.NONE));
        return fast;
    }

    /** Every one of them takes as long as its mishap needs. */
    static List<Voyage> all() {
        List<Voyage> all = new ArrayList<>();
        for (String algorithm : LEASED) {
            for (double load : LOADS) {
                all.add(voyage(algorithm, false, false, load, 3, Mishap.NONE));
                all.add(voyage(algorithm, true, false, load, 3, Mishap.NONE));
            }
            all.add(voyage(algorithm, true, true, 1, 3, Mishap.NONE));
            for (Mishap mishap : List.of(Mishap.KILL, Mishap.FLUSH, Mishap.RESTART)) {
                all.add(voyage(algorithm, true, false, 5, 4, mishap));
            }
            all.add(voyage(algorithm, true, false, 5, 20, Mishap.STOP));
        }
        for (String algorithm : OTHERS) {
            all.add(voyage(algorithm, false, false, 5, 3, Mishap.NONE));
        }
        return all;
    }

    static Voyage voyage(String algorithm, boolean leased, boolean mixed, double times, double seconds, Mishap mishap) {
        return Voyage.of(algorithm, PER_SECOND, leased, mixed, NODES, times, seconds, mishap);
    }
}
