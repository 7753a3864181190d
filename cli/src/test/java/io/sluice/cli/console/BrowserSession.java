package io.sluice.cli.console;

import io.sluice.rules.json.JsonLine;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A real browser without a window, through the WebDriver protocol. Scripts do what a person would do with the mouse and the keyboard. */
final class BrowserSession implements AutoCloseable {

    private static final Pattern PORT = Pattern.compile("on port (\\d+)\\.");
    private static final Pattern SESSION = Pattern.compile("\"sessionId\":\"([^\"]+)\"");
    private static final List<String> DRIVERS = List.of("/usr/bin/chromedriver", "/usr/lib/chromium/chromedriver");
    private static final List<String> PROGRAMS =
            List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");

    private final HttpClient http = HttpClient.newHttpClient();
    private final Process driver;
    private final String session;

    BrowserSession(Path folder) throws IOException {
        driver = new ProcessBuilder(program(DRIVERS), "--port=0")
                .redirectError(folder.resolve("chromedriver-errors").toFile())
                .start();
        BufferedReader reader = driver.inputReader(StandardCharsets.UTF_8);
        String base = "";
        for (String line = reader.readLine(); line != null && base.isEmpty(); line = reader.readLine()) {
            Matcher port = PORT.matcher(line);
            base = port.find() ? "http://127.0.0.1:" + port.group(1) + "/session" : "";
            if (!base.isEmpty()) {
                break;
            }
        }
        String answer = post(base, """
                {"capabilities": {"alwaysMatch": {"goog:loggingPrefs": {"browser": "ALL"}, "goog:chromeOptions": {"binary": "%s", "args":
                ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--lang=en-US",
                "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1440,900",
                "--disable-features=WebUIOmniboxPopup,WebUIOmniboxFullPopup,WebUIOmniboxAimPopup",
                "--user-data-dir=%s"]}}}}""".formatted(program(PROGRAMS), folder.resolve("profile")));
        Matcher id = SESSION.matcher(answer);
        if (!id.find()) {
            driver.destroyForcibly();
            throw new IOException("the browser did not start: " + answer);
        }
        session = base + "/" + id.group(1);
    }

    private static String program(List<String> places) {
        return places.stream()
                .filter(place -> Files.isExecutable(Path.of(place)))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + places
                        + " (expected: the packages chromium and chromium-driver; ./test installs them)"));
    }

    void go(String url) throws IOException {
        String unused = post(session + "/url", body("url", url));
    }

    /** Runs a script and returns its result, which must be a text. A page that is about to go has none. */
    String script(String script) throws IOException {
        String answer = post(
                session + "/execute/sync",
                "{\"args\": [], " + body("script", script).substring(1));
        Matcher text =
                Pattern.compile("^\\{\"value\":\"((?:[^\"\\\\]|\\\\.)*)\"}$").matcher(answer.strip());
        return text.find() ? text.group(1) : "";
    }

    /** Returns what the browser logged as an error or warning: scripts that failed, and what the policy forbade. */
    String errors() throws IOException {
        return String.join(
                "\n",
                Pattern.compile("\\{\"level\":\"(?:SEVERE|WARNING)\".*?\"timestamp\":\\d+}")
                        .matcher(post(session + "/se/log", body("type", "browser")))
                        .results()
                        .map(found -> found.group())
                        .toList());
    }

    private static String body(String name, String value) {
        return new JsonLine().begin().field(name, value).end().toString();
    }

    private String post(String uri, String body) throws IOException {
        try {
            return http.send(
                            HttpRequest.newBuilder(URI.create(uri))
                                    .header("content-type", "application/json")
                                    .POST(HttpRequest.BodyPublishers.ofString(body))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            var unused = http.send(
                    HttpRequest.newBuilder(URI.create(session)).DELETE().build(), BodyHandlers.discarding());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            driver.destroy();
        }
    }
}
