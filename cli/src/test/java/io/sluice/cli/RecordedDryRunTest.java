package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.Center;
import io.sluice.center.CenterSettings;
import io.sluice.node.Node;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.RecordingSettings;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes on one Redis record their requests, and their center tries a change on them. */
@Timeout(900)
class RecordedDryRunTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String RULES = """
            rules:
              - id: login
                resource: /login
                limits:
                  - { by: ip, algorithm: fixed_window, limit: 1000, align: year }
            """;

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @TempDir
    Path folder;

    private final RedisServer redis = RedisServer.shared();
    private final List<AutoCloseable> open = new ArrayList<>();
    private Center center;
    private String token = "";

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    @Test
    void aChangeIsTriedOnTheRequestsOfAllNodes() throws Exception {
        center = Center.open(CenterSettings.embedded(folder.resolve("center")).listening("127.0.0.1", 0));
        open.add(center);
        token = Files.readString(folder.resolve("center").resolve("admin-token"))
                .strip();
        CommandRun.of(
                        "apply",
                        Files.writeString(folder.resolve("rules.yaml"), RULES),
                        "--center",
                        center.address(),
                        "--data",
                        folder.resolve("center"))
                .good();
        Node one = start("one");
        Node two = start("two");
        Await.until(
                "both nodes hash with the same key",
                PATIENCE,
                () -> !mark("one").isEmpty() && mark("one").equals(mark("two")));
        for (int i = 0; i < 20; i++) {
            send(i % 2 == 0 ? one : two, "/login", "203.0.113.7");
            send(one, "/login", i < 5 ? "198.51.100.1" : "198.51.100." + i);
            send(two, "/elsewhere", "203.0.113.7");
        }
        String said = complete(12);
        // Each node has ten requests of the address, so neither would refuse one of them alone.
        assertThat(said).contains("\"newly_refused\":8,", "\"callers\":1,", "\"caller\":\"203.0.113.*\"");
        assertThat(said).contains("\"matched\":40,").doesNotContain("\"kind\":\"keys\"");
        String strict = complete(4);
        assertThat(strict).contains("\"newly_refused\":17,", "\"callers\":2,", "\"caller\":\"198.51.100.*\"");
        assertThat(strict).doesNotContain("203.0.113.7", "198.51.100.1\"");
    }

    private Node start(String name) throws Exception {
        Node node = Node.start(NodeConfig.inProcess(new RulesFrom.Nowhere(), 0)
                .withCenter(CenterAddress.of(
                        center.address().toString(), folder.resolve("center").resolve("admin-token")))
                .withRedis(redis.uri())
                .withRedisPrefix("dry-run")
                .withData(folder.resolve(name))
                .withRecording(RecordingSettings.in(folder.resolve("recordings").resolve(name)))
                .withRules(new RulesFrom.Center()));
        open.add(node);
        Await.until(
                "the node has the rules", PATIENCE, () -> node.rules().rules().size() == 1);
        return node;
    }

    /** Returns the mark of the key that a node hashes with; empty if it has none yet. */
    private String mark(String node) {
        try {
            return Files.readString(folder.resolve("recordings").resolve(node).resolve("recording.lock"))
                    .split(" ", 2)[0];
        } catch (IOException e) {
            return "";
        }
    }

    /** Asks until all requests are recorded and both nodes answer. */
    private String complete(int limit) {
        AtomicReference<String> last = new AtomicReference<>("");
        Await.until("both nodes answer with all requests", PATIENCE, () -> {
            last.set(dryRun(limit));
            JsonObject said = JsonObject.parse(last.get(), 100_000);
            return said.object("nodes").orElseThrow().whole("answered", 0, 2) == 2
                    && said.whole("requests", 0, 60) == 60;
        });
        return last.get();
    }

    private static void send(Node node, String path, String ip) throws Exception {
        HttpResponse<String> answer = HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.apiPort() + "/v1/check"))
                        .POST(HttpRequest.BodyPublishers.ofString(
                                "{\"attributes\":{\"path\":\"" + path + "\",\"ip\":\"" + ip + "\"}}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
    }

    private String dryRun(int limit) {
        String rule = "id: login\\nresource: /login\\nlimits:\\n" + "  - { by: ip, algorithm: fixed_window, limit: "
                + limit + ", align: year }\\n";
        try {
            HttpResponse<String> answer = HTTP.send(
                    HttpRequest.newBuilder(center.address().resolve("/api/changes/dry-run"))
                            .header("Authorization", "Bearer " + token)
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString("{\"edits\":[{\"put_text\":\"" + rule + "\"}]}"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            return answer.body();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
