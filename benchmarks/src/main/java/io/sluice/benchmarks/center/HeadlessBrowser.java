package io.sluice.benchmarks.center;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Chromium without a window, over its debugging protocol. It has one page. Used by one thread. */
public final class HeadlessBrowser implements AutoCloseable {

    private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+)+");

    private static final List<String> PROGRAMS =
            List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
    private static final Pattern LISTENS = Pattern.compile("DevTools listening on ws://(127\\.0\\.0\\.1:[0-9]+)/");
    private static final Pattern PAGE = Pattern.compile("\"webSocketDebuggerUrl\": *\"(ws://[^\"]+/page/[^\"]+)\"");
    private static final int PATIENCE_SECONDS = 120;
    private static final int LONGEST_ANSWER = 10_000_000;

    private final Process process;
    private final WebSocket socket;
    private final Map<Long, CompletableFuture<JsonObject>> waiting;
    private final AtomicLong calls = new AtomicLong();

    private HeadlessBrowser(Process process, URI page) {
        this.process = process;
        this.waiting = new ConcurrentHashMap<>();
        this.socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(page, new Answers(waiting))
                .join();
    }

    /** Starts the browser. */
    static HeadlessBrowser open(int width, int height) throws IOException, InterruptedException {
        String program = program()
                .orElseThrow(() -> new IOException("no " + PROGRAMS + " (expected: the package chromium; install it)"));
        Process process = new ProcessBuilder(
                        program,
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--remote-debugging-port=0",
                        "--window-size=" + width + "," + height,
                        "--user-data-dir=" + Files.createTempDirectory("sluice-browser"))
                .redirectErrorStream(true)
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher found = LISTENS.matcher(line);
            if (found.find()) {
                drain(out);
                HeadlessBrowser browser = new HeadlessBrowser(process, page(found.group(1)));
                browser.call("Page.enable", new JsonLine().begin().end());
                return browser;
            }
        }
        process.destroyForcibly();
        throw new IOException(program + ": did not start");
    }

    private static Optional<String> program() {
        return PROGRAMS.stream()
                .filter(place -> Files.isExecutable(Path.of(place)))
                .findFirst();
    }

    /** Returns the version of the browser on this machine. */
    public static String version() {
        return program().map(HeadlessBrowser::version).orElse("not installed");
    }

    private static String version(String program) {
        try {
            Process process = new ProcessBuilder(program, "--version").start();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher version = VERSION.matcher(text);
            return version.find() ? version.group() : "unknown";
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static void drain(BufferedReader out) {
        Thread reading = new Thread(() -> out.lines().forEach(line -> {}), "browser-output");
        reading.setDaemon(true);
        reading.start();
    }

    private static URI page(String place) throws IOException, InterruptedException {
        String pages = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://" + place + "/json/list"))
                                .build(),
                        BodyHandlers.ofString())
                .body();
        Matcher found = PAGE.matcher(pages);
        if (!found.find()) {
            throw new IOException("the browser has no page: " + pages);
        }
        return URI.create(found.group(1));
    }

    /** Opens an address. Does not wait for it. */
    void go(String url) throws IOException, InterruptedException {
        JsonObject unused =
                call("Page.navigate", new JsonLine().begin().field("url", url).end());
    }

    /** Runs a script in each page before its own scripts. */
    void before(String script) throws IOException, InterruptedException {
        JsonObject unused = call(
                "Page.addScriptToEvaluateOnNewDocument",
                new JsonLine().begin().field("source", script).end());
    }

    /** Runs a script, waits for its promise if it is one, and returns its result, which is a text. */
    String run(String script) throws IOException, InterruptedException {
        JsonObject answer = call(
                "Runtime.evaluate",
                new JsonLine()
                        .begin()
                        .field("expression", script)
                        .field("awaitPromise", true)
                        .field("returnByValue", true)
                        .end());
        return answer.object("result")
                .flatMap(result -> result.optionalText("value"))
                .orElseThrow(() -> new IOException("a script failed: " + script));
    }

    private JsonObject call(String method, JsonLine parameters) throws IOException, InterruptedException {
        long id = calls.incrementAndGet();
        CompletableFuture<JsonObject> answer = new CompletableFuture<>();
        waiting.put(id, answer);
        String text = "{\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + parameters + "}";
        try {
            socket.sendText(text, true).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            JsonObject whole = answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return whole.object("result").orElseThrow(() -> new IOException(method + ": refused by the browser"));
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(method + ": no answer of the browser", e);
        }
    }

    /** Completes calls with their answers. Events are left out. */
    private static final class Answers implements WebSocket.Listener {

        private final Map<Long, CompletableFuture<JsonObject>> waiting;
        private final StringBuilder text = new StringBuilder();

        Answers(Map<Long, CompletableFuture<JsonObject>> waiting) {
            this.waiting = waiting;
        }

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean isLast) {
            text.append(part);
            if (isLast) {
                JsonObject message = JsonObject.parse(text.toString(), LONGEST_ANSWER);
                text.setLength(0);
                if (message.has("id")) {
                    CompletableFuture<JsonObject> answer = waiting.remove(message.whole("id", 0, Long.MAX_VALUE));
                    if (answer != null) {
                        answer.complete(message);
                    }
                }
            }
            socket.request(1);
            return CompletableFuture.completedStage(null);
        }
    }

    @Override
    public void close() {
        socket.abort();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
