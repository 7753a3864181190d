package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node whose system refuses to write files beyond a size, as a full disk does. */
@Timeout(900)
class DurableFullDiskTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Pattern CHECK = Pattern.compile("POST (http://127\\.0\\.0\\.1:\\d+)/v1/check");
    private static final String FULL = "the journal of durable limits cannot be written";
    private static final int TENANTS = 700;
    private static final String RULES = """
            rules:
              - id: quota
                deadline: 1m
                on_failure: closed
                limits: [{ id: year, by: tenant, algorithm: fixed_window, limit: 1000000, align: year, durable: true }]
            """;

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();
    private int runs;

    @AfterEach
    void killWhatIsLeft() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void decisionsGoOnWhileTheDiskIsFullAndNothingIsLostWhenItHasRoomAgain() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            // Less than the sums of all tenants need.
            Process node = launch(redis, "--fsize=65536:");
            String address = address();
            for (int i = 0; i < TENANTS; i++) {
                charge(address, i);
            }
            await("the journal cannot be written", () -> get(address + "/health")
                    .contains(FULL));
            for (int i = 0; i < 100; i++) {
                charge(address, i);
            }
            assertThat(metric(address, "rate_limit_durable_unwritten")).isPositive();

            assertThat(new ProcessBuilder("prlimit", "--pid", Long.toString(node.pid()), "--fsize=unlimited:")
                            .inheritIO()
                            .start()
                            .waitFor())
                    .isZero();
            await("the journal is written", () -> !get(address + "/health").contains(FULL));
            await("all sums are on disk", () -> metric(address, "rate_limit_durable_unwritten") == 0);
            String log = output();
            assertThat(log.split(FULL, -1)).as("told once: %s", log).hasSize(2);
            assertThat(log.split("the journal of durable limits is written again", -1))
                    .hasSize(2);
            boolean unused = node.destroyForcibly().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);

            redis.restart();
            Process again = launch(redis, "--fsize=unlimited:");
            String next = address();
            await("durable limits decide again", () -> metric(next, "rate_limit_durable_restored") == 1);
            assertThat(remaining(next, 0)).isEqualTo(1_000_000 - 2);
            assertThat(remaining(next, TENANTS - 1)).isEqualTo(1_000_000 - 1);
            assertThat(again.isAlive()).isTrue();
        }
    }

    private Process launch(RedisServer redis, String limit) throws IOException {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        runs++;
        ProcessBuilder builder = new ProcessBuilder(
                        "prlimit",
                        limit,
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.sluice.cli.Main",
                        "node",
                        "--rules",
                        rules.toString(),
                        "--redis",
                        redis.uri(),
                        "--data",
                        folder.resolve("data").toString(),
                        "--api-port",
                        "0")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out" + runs).toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
        builder.environment().put("SLUICE_GRPC_PORT", "0");
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private String address() {
        await("the node prints its address", () -> CHECK.matcher(output()).find());
        Matcher found = CHECK.matcher(output());
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    /** Returns what the last process has printed. */
    private String output() {
        try {
            return Files.readString(folder.resolve("out" + runs));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void charge(String address, int tenant) {
        assertThat(check(address, tenant, 1)).contains("\"allowed\":true").contains("\"degraded\":null");
    }

    private static long remaining(String address, int tenant) {
        Matcher remaining = Pattern.compile("\"remaining\":(\\d+)").matcher(check(address, tenant, 0));
        assertThat(remaining.find()).isTrue();
        return Long.parseLong(remaining.group(1));
    }

    private static double metric(String address, String name) {
        Matcher line =
                Pattern.compile("(?m)^" + name + "(?:\\{[^}]*})? (\\S+)$").matcher(get(address + "/metrics"));
        assertThat(line.find()).as(name).isTrue();
        return Double.parseDouble(line.group(1));
    }

    private static String check(String address, int tenant, long permits) {
        return send(HttpRequest.newBuilder(URI.create(address + "/v1/check"))
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"attributes\":{\"tenant\":\"t" + tenant + "\"},\"permits\":" + permits + "}")));
    }

    private static String get(String address) {
        return send(HttpRequest.newBuilder(URI.create(address)));
    }

    private static String send(HttpRequest.Builder request) {
        try {
            return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        Await.until(what, PATIENCE, condition);
    }
}
