package io.sluice.benchmarks.center;

import io.sluice.benchmarks.goals.Figures;
import io.sluice.benchmarks.processes.CenterProcess;
import io.sluice.benchmarks.processes.ProcessUse;
import io.sluice.rules.yaml.JsonObject;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Measures how long a release of many rules takes until the last of many nodes has confirmed it, and what the center needs for it. The
 * nodes listen and report over HTTP, on the same machine.
 */
public final class CenterLoad {

    private static final int IDLE_SECONDS = 3;
    private static final int POLL_MILLIS = 10;

    private CenterLoad() {}

    /** Times of one release, in milliseconds after its beginning. */
    private record Release(double checked, double answered, double received, double done, double cpuSeconds) {}

    /**
     * Measures and returns a table.
     *
     * @param document a rule document for each release, every one different
     */
    public static String table(int nodes, int rules, int releases, IntFunction<String> document, Figures figures)
            throws IOException, InterruptedException {
        try (CenterProcess process = CenterProcess.start()) {
            TimeUnit.SECONDS.sleep(IDLE_SECONDS);
            long idle = ProcessUse.residentMegabytes(process.pid());
            CenterCaller center = new CenterCaller(process.address(), process.token());
            List<SimulatedNode> fleet = new ArrayList<>();
            ScheduledExecutorService beats = Executors.newSingleThreadScheduledExecutor();
            try {
                for (int i = 0; i < nodes; i++) {
                    SimulatedNode node = new SimulatedNode(center, "node-" + i);
                    fleet.add(node);
                    var unused =
                            beats.scheduleAtFixedRate(node::report, i * 1_000L / nodes, 1_000, TimeUnit.MILLISECONDS);
                }
                List<Release> measured = new ArrayList<>();
                for (int i = 0; i <= releases; i++) {
                    Release release = release(center, process, fleet, i, document.apply(i));
                    // The first one meets a cold center.
                    if (i > 0) {
                        measured.add(release);
                    }
                }
                return table(nodes, rules, idle, process, measured, figures);
            } finally {
                beats.shutdownNow();
                for (SimulatedNode node : fleet) {
                    node.close();
                }
            }
        }
    }

    private static Release release(
            CenterCaller center, CenterProcess process, List<SimulatedNode> fleet, int base, String document)
            throws IOException, InterruptedException {
        double cpu = ProcessUse.cpuSeconds(process.pid());
        long began = System.nanoTime();
        JsonObject change = center.post(
                "/api/changes?base=" + base + "&title=" + URLEncoder.encode("release " + base, StandardCharsets.UTF_8)
                        + "&reason=benchmark",
                "application/yaml",
                document);
        long checked = System.nanoTime();
        JsonObject rollout = center.post(
                "/api/changes/" + change.whole("id", 1, Long.MAX_VALUE) + "/release",
                "application/json",
                "{\"digest\":\"" + change.text("digest") + "\"}");
        long answered = System.nanoTime();
        long version = rollout.whole("version", 1, Long.MAX_VALUE);
        while (!center.get("/api/rollouts/" + rollout.whole("id", 1, Long.MAX_VALUE))
                .text("state")
                .equals("done")) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        long done = System.nanoTime();
        long received = answered;
        for (SimulatedNode node : fleet) {
            if (node.version() != version) {
                throw new IOException("a release was done before a node had it");
            }
            received = Math.max(received, node.receivedNanos());
        }
        return new Release(
                millis(checked - began),
                millis(answered - checked),
                millis(received - checked),
                millis(done - checked),
                ProcessUse.cpuSeconds(process.pid()) - cpu);
    }

    private static String table(
            int nodes, int rules, long idle, CenterProcess process, List<Release> releases, Figures figures)
            throws IOException {
        long loaded = ProcessUse.residentMegabytes(process.pid());
        double checked = median(releases.stream().map(Release::checked).toList());
        double answered = median(releases.stream().map(Release::answered).toList());
        double received = median(releases.stream().map(Release::received).toList());
        double done = median(releases.stream().map(Release::done).toList());
        double cpu = median(releases.stream().map(Release::cpuSeconds).toList());
        figures.add("start/s", process.startSeconds());
        figures.add("idle/MB", (double) idle);
        figures.add("release/done ms", done);
        return String.format(
                Locale.ROOT,
                "%,d rules, %d simulated nodes that listen and report over HTTP on the same machine, median of %d releases.%n%n"
                        + "| what | measured |%n|---|---|%n"
                        + "| change opened: parsed, checked, compared | %.0f ms |%n"
                        + "| release: until answered | %.0f ms |%n"
                        + "| release: until the last node had the rules | %.0f ms |%n"
                        + "| release: until the last node had confirmed and the rollout was done | %.0f ms |%n"
                        + "| CPU time of the center for change and release | %.2f s |%n"
                        + "| start of the center | %.2f s |%n"
                        + "| memory of the idle center | %d MB |%n"
                        + "| memory after the releases | %d MB |%n",
                rules,
                nodes,
                releases.size(),
                checked,
                answered,
                received,
                done,
                cpu,
                process.startSeconds(),
                idle,
                loaded);
    }

    private static double millis(long nanos) {
        return nanos / 1e6;
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
