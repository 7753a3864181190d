package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import io.sluice.testkit.LiveFolder;
import io.sluice.testkit.redis.RedisServer;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Records real nodes in their own processes, and verifies what they recorded. */
@Timeout(900)
class RecordingTest {

    private static final Pattern CHECK = Pattern.compile("POST (http://127\\.0\\.0\\.1:\\d+/v1/check)");
    private static final String RULES = """
            rules:
              - id: orders
                resource: /orders
                mode: MODE
                limits:
                  - { by: user, algorithm: fixed_window, limit: 20, align: year }
                  - { id: all, algorithm: token_bucket, rate: 1000/s, burst: 1000 }
            """;

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final List<Process> started = new ArrayList<>();

    @TempDir
    Path folder;

    @AfterEach
    void killWhatIsLeft() {
        started.forEach(Process::destroyForcibly);
    }

    private Path recordings() {
        return folder.resolve("recordings");
    }

    private Process launch(String name, String mode, String... more) throws Exception {
        return launch(List.of(), name, mode, more);
    }

    /** @param before a command that runs the node */
    private Process launch(List<String> before, String name, String mode, String... more) throws Exception {
        Path rules = Files.writeString(folder.resolve("rules-" + mode + ".yaml"), RULES.replace("MODE", mode));
        List<String> command = new ArrayList<>(before);
        command.addAll(ArchivedProgram.shared().command());
        command.addAll(List.of(
                "node",
                "--api-port",
                "0",
                "--grpc-port",
                "0",
                "--rules",
                rules.toString(),
                "--record",
                recordings().resolve(name).toString()));
        command.addAll(List.of(more));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectError(folder.resolve(name + ".err").toFile());
        builder.environment().keySet().removeIf(each -> each.startsWith("SLUICE_"));
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private static String address(Process process) throws IOException {
        BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
        String address = "";
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            Matcher found = CHECK.matcher(line);
            address = found.find() ? found.group(1) : address;
            if (line.equals("Ctrl-C stops it.")) {
                return address;
            }
        }
        throw new AssertionError("the process ended");
    }

    /** Returns how many requests were allowed. */
    private static long load(int requests, String... addresses) {
        List<CompletableFuture<Integer>> answers = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            String body = "{\"attributes\": {\"user\": \"u-%d\", \"path\": \"/orders\", \"ip\": \"203.0.113.7\"}}"
                    .formatted(4711 + i % 10);
            HttpRequest request = HttpRequest.newBuilder(URI.create(addresses[i % addresses.length]))
                    .POST(HttpRequest.BodyPublishers.ofString(body))
                    .build();
            answers.add(HTTP.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                    .thenApply(HttpResponse::statusCode));
            if (i % 50 == 49) {
                answers.get(i).join();
            }
        }
        return answers.stream()
                .map(CompletableFuture::join)
                .filter(code -> code == 200)
                .count();
    }

    private static void stop(Process process) throws InterruptedException {
        process.destroy();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    private List<Path> files(String end) {
        return LiveFolder.contents(recordings()).keySet().stream()
                .filter(file -> file.toString().endsWith(end))
                .toList();
    }

    private void awaitRecorded(int atLeast) {
        Await.until("requests are recorded", Duration.ofMinutes(5), () -> recorded() >= atLeast);
    }

    private long recorded() {
        return LiveFolder.contents(recordings()).entrySet().stream()
                .filter(file -> file.getKey().toString().endsWith(".requests.jsonl"))
                .mapToLong(file -> file.getValue().lines().count())
                .sum();
    }

    /** Asks one node, the other, and the first again, until Redis decided all three: then each has steps between those of the other. */
    private static void awaitRedis(String first, String second) {
        Await.until("Redis decides", Duration.ofMinutes(5), () -> Stream.of(first, second, first)
                .allMatch(RecordingTest::isDecidedByRedis));
    }

    private static boolean isDecidedByRedis(String address) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"attributes\": {\"user\": \"u-1\", \"path\": \"/orders\", \"ip\": \"203.0.113.7\"}}"))
                .build();
        String answer = HTTP.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .join()
                .body();
        return answer.contains("\"degraded\":null");
    }

    @Test
    void provesThatANodeExceededNothingAndFindsOneDecisionTooMany() throws Exception {
        Process node = launch("one", "local");
        assertThat(load(500, address(node))).isEqualTo(200);
        awaitRecorded(500);
        CommandRun live = CommandRun.of("verify", recordings()).good();
        assertThat(live.out()).contains("still being written");
        stop(node);

        CommandRun clean = CommandRun.of("verify", recordings()).good();
        assertThat(clean.out())
                .contains("decisions   500\n", "limits      2: orders, orders.all\n", "gaps        none\n")
                .endsWith("No limit was exceeded.\n");
        assertThat(CommandRun.of("verify", "--json", recordings()).good().out())
                .contains("\"verdict\":\"clean\"", "\"decisions\":500");

        List<String> requests = Files.readAllLines(files(".requests.jsonl").get(0));
        assertThat(requests).hasSize(500);
        assertThat(requests.get(0))
                .contains("\"resource\":\"/orders\"", "\"decision\":\"allowed\"", "\"permits\":1", "\"user\":\"u****");
        assertThat(requests.stream().filter(line -> line.contains("\"decision\":\"rejected\"")))
                .hasSize(300);
        for (Path file :
                List.of(files(".history").get(0), files(".requests.jsonl").get(0))) {
            assertThat(Files.readString(file)).doesNotContain("u-47", "203.0.113.7");
        }

        Path history = files(".history").get(0);
        List<String> lines = new ArrayList<>(Files.readAllLines(history));
        String admitted = lines.stream()
                .filter(line -> line.startsWith("[\"a\",") && line.contains(",1,1,") && line.contains("user=#"))
                .findFirst()
                .orElseThrow();
        lines.add(lines.size() - 1, admitted);
        Files.write(history, lines);
        CommandRun wrong = CommandRun.of("verify", recordings());
        assertThat(wrong.code()).as(wrong.out()).isEqualTo(1);
        assertThat(wrong.out()).contains("VIOLATION", "21 admitted", "1 violation.");
    }

    @Test
    void judgesNodesOnOneRedisTogether() throws Exception {
        RedisServer redis = RedisServer.shared();
        Process one = launch("one", "distributed", "--redis", redis.uri());
        Process two = launch("two", "distributed", "--redis", redis.uri());
        String first = address(one);
        String second = address(two);
        awaitRedis(first, second);
        long allowed = load(600, first, second);
        assertThat(allowed).isPositive();
        stop(one);
        stop(two);

        CommandRun both = CommandRun.of("verify", recordings());
        assertThat(both.out()).doesNotContain("VIOLATION").contains("2 runs");
        assertThat(both.code()).as(both.out()).isIn(0, 3);

        // Without one of them, the checker knows that it does not know everything.
        for (Path file : files(".history")) {
            if (file.startsWith(recordings().resolve("two"))) {
                Files.delete(file);
            }
        }
        CommandRun half = CommandRun.of("verify", recordings());
        assertThat(half.out()).doesNotContain("VIOLATION").contains("not judged");
        assertThat(half.code()).as(half.out()).isEqualTo(3);
    }

    @Test
    void aKilledNodeLeavesARecordingThatCanBeJudgedAndContinued() throws Exception {
        Process killed = launch("one", "local");
        assertThat(load(100, address(killed))).isPositive();
        awaitRecorded(1);
        killed.destroyForcibly();
        assertThat(killed.waitFor(300, TimeUnit.SECONDS)).isTrue();

        Process again = launch("one", "local");
        assertThat(load(100, address(again))).isPositive();
        stop(again);

        CommandRun run = CommandRun.of("verify", recordings());
        assertThat(run.code()).as(run.out()).isEqualTo(3);
        assertThat(run.out()).contains("2 runs", "it has no end").doesNotContain("VIOLATION");
    }

    @Test
    void goesOnInANewFileAfterOneThatTookNoMore() throws Exception {
        // No file may grow beyond 64 KB, as if the disk were full.
        Process node = launch(List.of("bash", "-c", "ulimit -f 64; exec \"$@\"", "-"), "one", "local");
        load(1_000, address(node));
        stop(node);
        CommandRun run = CommandRun.of("verify", recordings());
        assertThat(run.code()).as(run.out()).isEqualTo(3);
        assertThat(run.out()).contains("which could not be recorded in time").doesNotContain("VIOLATION");
    }

    @Test
    void refusesWhatIsNoRecording() throws Exception {
        assertThat(CommandRun.of("verify", folder.resolve("missing")).code()).isEqualTo(2);
        CommandRun empty = CommandRun.of("verify", folder);
        assertThat(empty.code()).isEqualTo(2);
        assertThat(empty.err()).contains("no recording (expected: files that ./sluice node --record wrote)");
        CommandRun size = CommandRun.of("node", "--record", folder.resolve("r"), "--record-max-size", "7");
        assertThat(size.code()).isEqualTo(2);
        assertThat(size.err()).contains("--record-max-size: 7 (expected: 256KB to ");
    }
}
