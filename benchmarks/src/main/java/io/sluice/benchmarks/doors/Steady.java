package io.sluice.benchmarks.doors;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * The latencies that a {@link SteadyClient} measured, in milliseconds.
 *
 * @param p99OfTurns the median of the p99 of the turns
 * @param busy the part of all cores that server, Redis and generator used together, between 0 and 1
 */
record Steady(double p50, double p99, double p999, double p99OfTurns, double busy) {

    static final int TURNS = 12;
    static final int MILLIS = 500;
    private static final int WARM_UP_MILLIS = 4_000;

    /** Measures all sides, which take turns. */
    static Map<Side, Steady> run(String door, List<Side> sides, ToIntFunction<Side> port, double perSecond)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-Xms64m",
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                SteadyClient.class.getName(),
                door,
                Double.toString(perSecond),
                Integer.toString(WARM_UP_MILLIS),
                Integer.toString(TURNS),
                Integer.toString(MILLIS)));
        sides.forEach(side -> command.add(Integer.toString(port.applyAsInt(side))));
        List<String> lines = Generator.run(command).strip().lines().toList();
        Map<Side, Steady> measured = new LinkedHashMap<>();
        for (int i = 0; i < sides.size(); i++) {
            String[] fields = lines.get(lines.size() - sides.size() + i).split(" ", -1);
            measured.put(
                    sides.get(i),
                    new Steady(
                            Double.parseDouble(fields[0]),
                            Double.parseDouble(fields[1]),
                            Double.parseDouble(fields[2]),
                            Double.parseDouble(fields[3]),
                            Double.parseDouble(fields[4])));
        }
        return measured;
    }
}
