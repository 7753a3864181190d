package io.sluice.benchmarks.center;

import io.sluice.benchmarks.goals.Figures;
import io.sluice.benchmarks.processes.CenterProcess;
import io.sluice.benchmarks.processes.ProcessUse;
import io.sluice.center.database.Database;
import io.sluice.center.database.DatabaseUnusableException;
import io.sluice.center.series.SeriesHistory;
import io.sluice.rules.caller.CallerMark;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.DataReport;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.data.SecondCounts;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures how long each view of the console takes until it shows its data, over a center with many rules, many nodes that report their
 * traffic each second, and a year of generated history. Browser, center and nodes share the machine.
 */
public final class ConsoleLoad {

    private static final String PASSWORD = "correct horse battery";
    private static final int EDITS = 12;
    private static final int OVERRIDES = 100;
    private static final int ACTIVE_RULES = 40;
    private static final int SETTLE_SECONDS = 8;
    private static final double MEGABYTE = 1e6;
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(2);

    /** Tells when the view of the address has its data and was drawn. */
    private static final String WATCH = "window.__ready = (since) => new Promise((resolve, reject) => {"
            + " const began = Date.now();"
            + " const look = () => {"
            + "  const main = document.querySelector('main[data-ready=true]');"
            + "  const problem = document.querySelector('#problem, #load-error');"
            + "  if (problem) { resolve('failed: ' + problem.textContent); }"
            + "  else if (main && (main.dataset.path ?? '') === location.pathname) {"
            + "   requestAnimationFrame(() => resolve(String(performance.now() - since))); }"
            + "  else if (Date.now() - began > 60000) { resolve('failed: no data within a minute'); }"
            + "  else { requestAnimationFrame(look); } };"
            + " look(); });";

    private ConsoleLoad() {}

    /** Times of a view in milliseconds. */
    private record View(String name, String path, List<Double> opened, List<Double> reached) {

        View(String name, String path) {
            this(name, path, new ArrayList<>(), new ArrayList<>());
        }
    }

    /**
     * Measures and returns a table.
     *
     * @param document with all rules, r0 and so on
     */
    public static String table(int nodes, int rules, int turns, String document, Figures figures)
            throws IOException, InterruptedException {
        Path data = Files.createTempDirectory("sluice-console");
        long history = history(data, nodes, rules);
        try (CenterProcess process = CenterProcess.start(data)) {
            CenterCaller center = new CenterCaller(process.address(), process.token());
            List<SimulatedNode> fleet = new ArrayList<>();
            AtomicLong failed = new AtomicLong();
            ScheduledExecutorService beats = Executors.newSingleThreadScheduledExecutor();
            try {
                release(center, document);
                for (int i = 0; i < nodes; i++) {
                    fleet.add(new SimulatedNode(center, "node-" + i));
                    Traffic traffic = new Traffic(fleet.get(i), i, rules, failed);
                    var unused = beats.scheduleAtFixedRate(
                            traffic::attempt, i * 1_000L / nodes, 1_000, TimeUnit.MILLISECONDS);
                }
                edit(center, rules);
                TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
                List<View> views = views();
                measure(process, center, views, turns);
                return table(nodes, rules, history, process, views, turns, figures)
                        + (failed.get() == 0
                                ? ""
                                : String.format(Locale.ROOT, "%n%,d reports of nodes failed.%n", failed.get()));
            } finally {
                beats.shutdownNow();
                for (SimulatedNode node : fleet) {
                    node.close();
                }
            }
        }
    }

    /** Writes a year of hours and two days of minutes. Returns the bytes of the database. */
    private static long history(Path data, int nodes, int rules) throws IOException {
        long now = Instant.now().getEpochSecond() / 3_600 * 3_600;
        try (Database database = Database.open("", data)) {
            SeriesHistory history = new SeriesHistory(
                    database,
                    (second, seconds) -> figures("r", rules, second, seconds),
                    (second, seconds) -> figures("node-", nodes, second, seconds * rules / nodes));
            history.repeated(
                    now - Duration.ofDays(365).toSeconds(),
                    now - Duration.ofDays(2).toSeconds(),
                    now);
        } catch (DatabaseUnusableException e) {
            throw new IOException(e);
        }
        try (var files = Files.list(data)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        }
    }

    private static Map<String, io.sluice.runtime.data.Figures> figures(
            String prefix, int count, long second, long seconds) {
        Map<String, io.sluice.runtime.data.Figures> figures = new HashMap<>(2 * count);
        double day = 1 + 0.5 * Math.sin(second / 86_400.0 * 2 * Math.PI);
        for (int i = 0; i < count; i++) {
            long requests = (long) (day * seconds * (i % 97 + 3) / 50);
            figures.put(prefix + i, new io.sluice.runtime.data.Figures(requests, requests * (i % 11) / 200, 0, 0));
        }
        return figures;
    }

    private static void release(CenterCaller center, String document) throws IOException, InterruptedException {
        release(
                center,
                center.post(
                        "/api/changes?base=0&title=" + URLEncoder.encode("All rules", StandardCharsets.UTF_8)
                                + "&reason=benchmark",
                        "application/yaml",
                        document));
    }

    private static void release(CenterCaller center, JsonObject change) throws IOException, InterruptedException {
        JsonObject unused = center.post(
                "/api/changes/" + change.whole("id", 1, Long.MAX_VALUE) + "/release",
                "application/json",
                "{\"digest\":\"" + change.text("digest") + "\"}");
    }

    /** Makes further releases, a change that is open, and overrides. */
    private static void edit(CenterCaller center, int rules) throws IOException, InterruptedException {
        for (int i = 1; i <= EDITS; i++) {
            JsonObject change = center.post(
                    "/api/changes",
                    "application/json",
                    "{\"title\":\"Edit " + i + "\",\"reason\":\"benchmark\",\"base\":" + i
                            + ",\"edits\":[{\"put\":{\"id\":\"r"
                            + i + "\",\"resource\":\"/edited/" + i
                            + "\",\"limits\":[{\"by\":\"user\",\"limit\":5,\"window\":\"1m\"}]}}]}");
            if (i < EDITS) {
                release(center, change);
            }
        }
        for (int i = 0; i < Math.min(OVERRIDES, rules / 10); i++) {
            JsonObject unused = center.post(
                    "/api/overrides",
                    "application/json",
                    "{\"rule\":\"r100\",\"limit\":\"r100.0\",\"caller\":{\"user\":\"u-" + i
                            + "\"},\"numbers\":{\"rate\":\"500/s\"},\"in\":\"30d\",\"reason\":\"case " + i + "\"}");
        }
    }

    private static List<View> views() {
        Map<String, String> paths = new LinkedHashMap<>();
        paths.put("now", "/");
        paths.put("traffic", "/traffic");
        paths.put("decisions", "/decisions");
        paths.put("alerts", "/alerts");
        paths.put("fleet", "/nodes");
        paths.put("rules", "/rules");
        paths.put("one rule", "/rules/r5");
        paths.put("editor", "/editor?rule=r5");
        paths.put("changes", "/changes");
        paths.put("one change", "/changes/" + (EDITS + 1));
        paths.put("releases", "/releases");
        paths.put("one release", "/releases/" + EDITS);
        paths.put("shadow", "/shadow");
        paths.put("explain", "/explain");
        paths.put("audit", "/audit");
        paths.put("approvals", "/approvals");
        paths.put("people", "/people");
        paths.put("tokens", "/tokens");
        List<View> views = new ArrayList<>();
        paths.forEach((name, path) -> views.add(new View(name, path)));
        return views;
    }

    private static void measure(CenterProcess process, CenterCaller center, List<View> views, int turns)
            throws IOException, InterruptedException {
        String url = "http://localhost:" + process.address().getPort();
        JsonObject made = center.post(
                "/api/users", "application/json", "{\"user\":\"root\",\"roles\":[{\"role\":\"administrator\"}]}");
        String link = made.text("link");
        JsonObject unused = center.post(
                "/api/set-up",
                "application/json",
                "{\"link\":\"" + link.substring(link.indexOf('#') + 1) + "\",\"password\":\"" + PASSWORD + "\"}");
        try (HeadlessBrowser browser = HeadlessBrowser.open(1_440, 900)) {
            browser.before(WATCH);
            browser.go(url + "/sign-in");
            await(browser, "/sign-in");
            String status = browser.run("fetch('/api/session', {method: 'POST', headers: {'Content-Type':"
                    + " 'application/json'}, body: JSON.stringify({user: 'root', password: '" + PASSWORD
                    + "'})}).then((answer) => String(answer.status))");
            if (!status.startsWith("20")) {
                throw new IOException("sign-in: " + status + " (expected: 200)");
            }
            // The first turn meets a cold center and a browser without its scripts.
            for (int turn = 0; turn <= turns; turn++) {
                for (View view : views) {
                    double opened = open(browser, url, view.path);
                    double reached = reach(browser, view.path);
                    if (turn > 0) {
                        view.opened.add(opened);
                        view.reached.add(reached);
                    }
                }
            }
        }
    }

    /** Waits until the browser has gone to a path. */
    private static void await(HeadlessBrowser browser, String path) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (!browser.run("document.readyState === 'complete' ? location.pathname + location.search : ''")
                .equals(path)) {
            if (System.nanoTime() - begin > LONGEST_WAIT.toNanos()) {
                throw new IOException(path + ": the browser is not there (expected: within " + LONGEST_WAIT.toSeconds()
                        + " seconds)");
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** Opens the address of a view in the page. */
    private static double open(HeadlessBrowser browser, String url, String path)
            throws IOException, InterruptedException {
        browser.go("about:blank");
        browser.go(url + path);
        await(browser, path);
        return millis(path, browser.run("__ready(0)"));
    }

    /** Goes to a view from another one. */
    private static double reach(HeadlessBrowser browser, String path) throws IOException, InterruptedException {
        String go = "history.pushState(null, '', '%s'); dispatchEvent(new PopStateEvent('popstate'));";
        String away = browser.run(String.format(Locale.ROOT, go, "/design") + " __ready(0)");
        double unused = millis("/design", away);
        String time = browser.run(
                "{ const since = performance.now(); " + String.format(Locale.ROOT, go, path) + " __ready(since) }");
        return millis(path, time);
    }

    private static double millis(String path, String answer) throws IOException {
        if (answer.startsWith("failed")) {
            throw new IOException(path + ": " + answer);
        }
        return Double.parseDouble(answer);
    }

    private static String table(
            int nodes, int rules, long history, CenterProcess process, List<View> views, int turns, Figures figures)
            throws IOException {
        StringBuilder table = new StringBuilder(String.format(
                Locale.ROOT,
                "%,d rules, %d simulated nodes that report their traffic each second, a year of hours and two days of minutes of each"
                        + " rule (%,.0f MB). Browser, center and nodes share the machine; median and slowest of %d turns, until the"
                        + " view has its data and is drawn. The center had %d MB of memory in the end.%n%n"
                        + "| view | opened by its address | slowest | reached from another view | slowest |%n|---|--:|--:|--:|--:|%n",
                rules,
                nodes,
                history / MEGABYTE,
                turns,
                ProcessUse.residentMegabytes(process.pid())));
        double worst = 0;
        for (View view : views) {
            double opened = median(view.opened);
            worst = Math.max(worst, opened);
            figures.add(view.name + "/ms", opened);
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %.0f ms | %.0f ms | %.0f ms | %.0f ms |%n",
                    view.name,
                    opened,
                    most(view.opened),
                    median(view.reached),
                    most(view.reached)));
        }
        figures.add("slowest view/ms", worst);
        return table.toString();
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private static double most(List<Double> values) {
        return values.stream().mapToDouble(each -> each).max().orElse(0);
    }

    /** The traffic of one node. */
    private static final class Traffic {

        private final SimulatedNode node;
        private final int index;
        private final int rules;
        private final AtomicLong batches = new AtomicLong();

        /** Reports of all nodes that failed. */
        private final AtomicLong failed;

        Traffic(SimulatedNode node, int index, int rules, AtomicLong failed) {
            this.node = node;
            this.index = index;
            this.rules = rules;
            this.failed = failed;
        }

        /** A failure would end the reports of the node. It is counted, and the next second is reported again. */
        void attempt() {
            try {
                report();
            } catch (RuntimeException e) {
                failed.incrementAndGet();
            }
        }

        private void report() {
            long now = System.currentTimeMillis();
            long second = now / 1_000 - 1;
            Map<String, io.sluice.runtime.data.Figures> counts = new HashMap<>();
            for (int i = 0; i < ACTIVE_RULES; i++) {
                counts.put(
                        "r" + (index * 37L + second * 13 + i * 101L) % rules,
                        new io.sluice.runtime.data.Figures(20 + i, i % 5, 0, 0));
            }
            node.report(new DataReport(
                    now,
                    List.of(
                            new DataBatch(
                                    batches.incrementAndGet(),
                                    DataBatch.Kind.COUNTS,
                                    new SecondCounts(second, counts, SeriesHistory.latencies(1_000)).toBytes()),
                            new DataBatch(
                                    batches.incrementAndGet(),
                                    DataBatch.Kind.DECISIONS,
                                    DecisionEntry.toBytes(List.of(decision(now))))),
                    Map.of()));
        }

        private DecisionEntry decision(long now) {
            String hash = String.format(Locale.ROOT, "%043d", now % 1_000);
            CallerMark caller = new CallerMark("u****" + now % 90 + 10, hash);
            String rule = "r" + (now + index) % rules;
            return new DecisionEntry(
                    now - 1,
                    "request-" + now,
                    "",
                    "service-1",
                    "/api/v1/" + rule,
                    "GET",
                    Map.of("user", caller),
                    rule,
                    rule + ".0",
                    DecisionEntry.Outcome.REJECTED,
                    "nothing left",
                    100,
                    100,
                    1,
                    "remote",
                    "",
                    1,
                    Optional.of(caller));
        }
    }
}
