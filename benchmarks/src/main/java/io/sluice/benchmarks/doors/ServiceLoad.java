package io.sluice.benchmarks.doors;

import io.sluice.benchmarks.goals.Figures;
import io.sluice.benchmarks.processes.ProcessUse;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Compares a node on Redis with Envoy's reference service, which is written in Go, on the same Redis with the same configuration
 * file, and with a server that makes no decision. Each is a process of its own. They take turns, and the medians of their turns are
 * compared. Every request is allowed, and a thousand users take turns.
 */
public final class ServiceLoad {

    /** Read by both services. */
    private static final String CONFIG = """
            domain: shop
            descriptors:
              - key: all
                rate_limit: { unit: second, requests_per_unit: 1000000000 }
              - key: service
                rate_limit: { unit: second, requests_per_unit: 1000000000 }
              - key: resource
                rate_limit: { unit: second, requests_per_unit: 1000000000 }
              - key: user
                rate_limit: { unit: second, requests_per_unit: 1000000000 }
            """;

    /** The first load also compiles the code of the servers. */
    private static final int FIRST_WARM_UP_MILLIS = 15_000;

    private static final int TURN_MILLIS = 2_000;
    private static final int IDLE_SECONDS = 3;
    private static final int FIELDS = 6;

    /**
     * A load on all services.
     *
     * @param perSecond 0 for as many as the service answers
     */
    private record Load(String name, String descriptors, int perSecond) {}

    private static final List<Load> LOADS = List.of(
            new Load("four descriptors", "four", 0),
            new Load("one descriptor", "one", 0),
            new Load("4000", "one", 4_000),
            new Load("12000", "one", 12_000));

    private ServiceLoad() {}

    /**
     * Measures and returns a table.
     *
     * @param reference the reference service; if the file does not exist, its rows say so
     */
    public static String table(int turns, Path reference, Figures figures) throws Exception {
        Path folder = Files.createTempDirectory("sluice-services");
        Path config = Files.createDirectories(folder.resolve("shop/config")).resolve("shop.yaml");
        Files.writeString(config, CONFIG);
        StringBuilder table = new StringBuilder();
        List<Service> services = new ArrayList<>();
        try (RedisServer redis = RedisServer.start()) {
            services.add(Service.sluice(config, redis.uri()));
            if (Files.isExecutable(reference)) {
                services.add(Service.reference(reference, folder, redis.port()));
            }
            services.add(Service.idle());
            TimeUnit.SECONDS.sleep(IDLE_SECONDS);
            StringBuilder memory = new StringBuilder();
            for (Service service : services) {
                long megabytes = ProcessUse.residentMegabytes(service.pid());
                figures.add("idle/" + service.name() + "/MB", (double) megabytes);
                memory.append("- ")
                        .append(service.name())
                        .append(": ")
                        .append(megabytes)
                        .append(" MB\n");
            }
            for (Load load : LOADS) {
                table.append(rows(load, turns, services, redis.info("process_id"), figures));
            }
            table.append("\nMemory before the first request:\n").append(memory);
        } finally {
            for (Service service : services) {
                service.close();
            }
        }
        return head(turns) + table;
    }

    private static String head(int turns) {
        return String.format(
                        "Medians of %d turns of %d s; without a rate, %d requests are in flight. The load generator shares the machine.%n"
                                + "At a rate, a latency counts from the time at which its request was due.%n%n"
                                + "| %-24s | %-20s | %9s | %11s | %9s | %8s | %8s | %11s |%n",
                        turns,
                        TURN_MILLIS / 1_000,
                        DoorLoad.IN_FLIGHT,
                        "load",
                        "service",
                        "per s",
                        "CPU/request",
                        "Redis CPU",
                        "p50 ms",
                        "p99 ms",
                        "p99 of all")
                + "|--------------------------|----------------------|-----------|-------------|-----------|----------|----------|"
                + "-------------|\n";
    }

    private static String rows(Load load, int turns, List<Service> services, String redis, Figures figures)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-Xms64m",
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ServiceClient.class.getName(),
                load.descriptors,
                Integer.toString(load.perSecond),
                Integer.toString(DoorLoad.IN_FLIGHT),
                Integer.toString(turns > 1 && load.equals(LOADS.get(0)) ? FIRST_WARM_UP_MILLIS : TURN_MILLIS),
                Integer.toString(turns),
                Integer.toString(TURN_MILLIS),
                redis));
        services.forEach(service -> command.add(service.port() + ":" + service.pid()));
        List<String> lines = Generator.run(command).strip().lines().toList();
        String what =
                load.perSecond == 0 ? load.name : String.format(Locale.ROOT, "%,d/s, one descriptor", load.perSecond);
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < services.size(); i++) {
            String name = services.get(i).name();
            String[] fields = lines.get(lines.size() - services.size() + i).split(" ", FIELDS);
            String figure = load.name + "/" + name + "/";
            figures.add(figure + "per s", Double.parseDouble(fields[0]));
            figures.add(figure + "cpu us", Double.parseDouble(fields[1]));
            figures.add(figure + "turn p99 ms", Double.parseDouble(fields[4]));
            if (load.perSecond > 0) {
                figures.add(figure + "held", Double.parseDouble(fields[0]) / load.perSecond);
            }
            rows.append(String.format(
                    Locale.ROOT,
                    "| %-24s | %-20s | %9.0f | %8.1f us | %6.1f us | %8.2f | %8.2f | %11.2f |%n",
                    what,
                    name,
                    Double.parseDouble(fields[0]),
                    Double.parseDouble(fields[1]),
                    Double.parseDouble(fields[2]),
                    Double.parseDouble(fields[3]),
                    Double.parseDouble(fields[4]),
                    Double.parseDouble(fields[5])));
        }
        if (services.size() < 3) {
            rows.append(String.format("| %-24s | %-20s | %9s |%n", what, "envoyproxy/ratelimit", "not measured"));
        }
        return rows.toString();
    }
}
