package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.demo.Demo;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice start --demo}, in its own process. */
@Timeout(1_200)
class DemoTest {

    private static final Pattern CENTER = Pattern.compile("center +GET +(http://127\\.0\\.0\\.1:\\d+)/api/rules");

    @TempDir
    Path folder;

    private @Nullable Process process;

    @AfterEach
    void killWhatIsLeft() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    @Test
    void theCenterSeesTrafficThatPassesAndTrafficThatIsRefused() throws Exception {
        Process demo = launch();
        String screen = readUntil(demo, Demo.LINE);
        // A node waits only for a moment, so on a slow machine it starts before it has them.
        assertThat(screen).containsPattern("rules +from the center: (7 rules, version 1\n|none yet)");
        Matcher center = CENTER.matcher(screen);
        assertThat(center.find()).isTrue();

        Awaitility.await().atMost(Duration.ofMinutes(4)).untilAsserted(() -> {
            String sums = get(center.group(1) + "/api/series?rule=*&group=rule");
            assertThat(rule(sums, "login")).containsPattern("\"allowed\":[1-9]").containsPattern("\"refused\":[1-9]");
            assertThat(rule(sums, "orders")).containsPattern("\"allowed\":[1-9]");
            assertThat(rule(sums, "search")).containsPattern("\"allowed\":[1-9]");
        });
        // The addresses of callers arrive through the gateway, which trusts this process.
        Awaitility.await().atMost(Duration.ofMinutes(4)).untilAsserted(() -> assertThat(
                        get(center.group(1) + "/api/decisions?rule=login&outcome=rejected"))
                .contains("198.51.100.*"));
        demo.destroy();
        assertThat(demo.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(demo.exitValue()).isZero();
        assertThat(Files.readString(folder.resolve("err"))).doesNotContain("\tat ", "\"error\"");
    }

    @Test
    void neverReachesWhatOthersUse() throws Exception {
        Path routes = Files.writeString(folder.resolve("sluice.yaml"), "routes: []\n");
        Path token = Files.writeString(folder.resolve("token"), "x".repeat(40));

        assertThat(refused("--redis", "redis://127.0.0.1:1")).contains("--demo: together with a Redis (expected: ");
        assertThat(refused("--config", routes)).contains("--demo: together with routes (expected: ");
        assertThat(refused("--center", "http://127.0.0.1:1", "--center-token-file", token))
                .contains("--demo: together with --center (expected: ");
    }

    @Test
    void aGatewayAddressThatDoesNotExistIsNamed() {
        CommandRun run = CommandRun.of(
                "start",
                "--demo",
                "--data",
                folder.resolve("data"),
                "--center-port",
                0,
                "--gateway-bind",
                "not a host");
        assertThat(run.code()).isNotZero();
        assertThat(run.err()).contains("--gateway-bind: ", "not a host", "(expected: an address of this machine");
    }

    private String refused(Object... flags) {
        Object[] all = new Object[flags.length + 4];
        all[0] = "start";
        all[1] = "--demo";
        all[2] = "--data";
        all[3] = folder.resolve("data");
        System.arraycopy(flags, 0, all, 4, flags.length);
        CommandRun run = CommandRun.of(all);
        assertThat(run.code()).isEqualTo(2);
        assertThat(folder.resolve("data")).doesNotExist();
        return run.err();
    }

    private static String rule(String sums, String id) {
        Matcher found = Pattern.compile("\\{\"rule\":\"" + id + "\"[^}]*\\}").matcher(sums);
        return found.find() ? found.group() : "";
    }

    private String get(String uri) throws IOException, InterruptedException {
        String token = Files.readString(folder.resolve("data/admin-token")).strip();
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(uri))
                                .header("authorization", "Bearer " + token)
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private Process launch() throws Exception {
        List<String> command = ArchivedProgram.shared().command();
        command.add("start");
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectError(folder.resolve("err").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
        for (String port : List.of("API", "GRPC", "GATEWAY", "CENTER")) {
            builder.environment().put("SLUICE_" + port + "_PORT", "0");
        }
        builder.environment().put("SLUICE_DATA", folder.resolve("data").toString());
        Process started = builder.start();
        process = started;
        return started;
    }

    private static String readUntil(Process from, String last) throws IOException {
        StringBuilder text = new StringBuilder();
        BufferedReader reader = from.inputReader(StandardCharsets.UTF_8);
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            text.append(line).append('\n');
            if (line.equals(last)) {
                return text.toString();
            }
        }
        throw new AssertionError("the process ended after: " + text);
    }
}
