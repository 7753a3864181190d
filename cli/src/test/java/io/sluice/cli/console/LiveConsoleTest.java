package io.sluice.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.ArchivedProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * From the first start to an undone mistake, as a person does it: {@code ./sluice start} in its own process, a real browser, and requests
 * through the gateway.
 */
@Timeout(1_200)
class LiveConsoleTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Pattern GATEWAY = Pattern.compile("gateway +(http://127\\.0\\.0\\.1:\\d+)");
    private static final Pattern SET_UP = Pattern.compile("set up +(http://localhost:\\d+)(/set-up#\\S+)");
    private static final String RULE = """
            id: live
            name: A rule of a journey
            resource: /api/live
            limits:
              - { by: ip, limit: 2, window: 1h }
            """;

    @TempDir
    Path folder;

    private final HttpClient http = HttpClient.newHttpClient();
    private @Nullable Process process;
    private @Nullable BrowserSession session;

    @AfterEach
    void stopWhatIsLeft() throws IOException {
        if (session != null) {
            session.close();
        }
        if (process != null) {
            process.destroyForcibly();
        }
    }

    @Test
    void aRuleIsWrittenRefusesRequestsAndIsUndone() throws Exception {
        String screen = launch();
        String gateway = found(GATEWAY, screen).group(1);
        Matcher setUp = found(SET_UP, screen);
        BrowserSession browser = new BrowserSession(folder);
        session = browser;

        // The first sign-in, by the link that the start printed.
        browser.go(setUp.group(1) + setUp.group(2));
        type("#user", "admin");
        type("#password", "correct horse battery");
        type("#again", "correct horse battery");
        click("#submit");
        click("#later");
        awaitThat("the first page", "location.pathname === '/' && document.querySelector('main[data-ready=true]')");

        // A rule, from the editor to every node.
        browser.go(setUp.group(1) + "/editor");
        awaitThat("the editor", "document.querySelector('.CodeMirror')");
        String unused = browser.script(
                "document.querySelector('.CodeMirror').CodeMirror.setValue(`" + RULE + "`); return 'written'");
        awaitThat("the preview", "document.querySelector('#preview')?.innerText.includes('2 per hour')");
        type("#change-title", "A limit for the journey");
        type("#change-reason", "a test writes it");
        click("#open-change");
        click("#release");
        click("#dialog-confirm");
        awaitThat("a released rule", "location.pathname.startsWith('/releases/')");

        // Requests through the gateway: two pass, the others are refused once the node has the rule.
        Awaitility.await().atMost(PATIENCE).until(() -> status(gateway) == 429);
        browser.go(setUp.group(1) + "/rules/live");
        awaitThat("refusals of the rule", "/[1-9]/.test(document.querySelector('#refused')?.innerText ?? '')");
        browser.go(setUp.group(1) + "/");
        awaitThat("the rule on the first page", "document.querySelector('#top-rules')?.innerText.includes('live')");

        // One click undoes it.
        click("#roll-back");
        type("#dialog-reason", "the limit was a mistake");
        click("#dialog-confirm");
        Awaitility.await().atMost(PATIENCE).until(() -> status(gateway) != 429);
        awaitThat("the reason", "document.querySelector('#changes')?.innerText.includes('the limit was a mistake')");
        assertThat(browser.errors()).isEmpty();
    }

    private int status(String gateway) throws IOException, InterruptedException {
        return http.send(
                        HttpRequest.newBuilder(URI.create(gateway + "/api/live"))
                                .build(),
                        BodyHandlers.discarding())
                .statusCode();
    }

    private void click(String selector) {
        awaitThat(
                "something to click: " + selector,
                "(() => { const found = document.querySelector('" + selector
                        + "'); if (!found || found.getAttribute('aria-disabled') === 'true') { return false; } found.click(); return true; })()");
    }

    private void type(String selector, String text) {
        awaitThat(
                "a field: " + selector,
                "(() => { const found = document.querySelector('" + selector
                        + "'); if (!found) { return false; } found.focus(); found.value = '" + text
                        + "'; found.dispatchEvent(new Event('input', { bubbles: true })); return true; })()");
    }

    private void awaitThat(String what, String condition) {
        BrowserSession browser = session;
        assertThat(browser).isNotNull();
        Awaitility.await(what).atMost(PATIENCE).until(() -> browser.script("return String(Boolean(" + condition + "))")
                .equals("true"));
    }

    private static Matcher found(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        assertThat(found.find()).as(pattern + " in " + text).isTrue();
        return found;
    }

    /** Starts everything on free ports, and returns what the screen shows. */
    private String launch() throws Exception {
        List<String> command = ArchivedProgram.shared().command();
        command.addAll(List.of("start", "--demo=false"));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectError(folder.resolve("err").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
        for (String port : List.of("API", "GRPC", "GATEWAY", "CENTER")) {
            builder.environment().put("SLUICE_" + port + "_PORT", "0");
        }
        builder.environment().put("SLUICE_DATA", folder.resolve("data").toString());
        Process started = builder.start();
        process = started;
        StringBuilder text = new StringBuilder();
        BufferedReader reader = started.inputReader(StandardCharsets.UTF_8);
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            text.append(line).append('\n');
            if (line.startsWith("Ctrl-C")) {
                return text.toString();
            }
        }
        throw new AssertionError("the process ended after: " + text);
    }
}
