package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.node.Node;
import io.sluice.node.RunningNode;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.runtime.Store;
import io.sluice.testkit.redis.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole node whose rules act before it authenticates callers. */
@Timeout(300)
class EarlyRulesTest {

    /** The hash of the key {@code secret}. */
    private static final String HASH = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

    private static final String GUESSING = """
            rules:
              - id: guessing
                for: early
                match: { answer.status: [401, 404] }
                limits: [{ by: ip, algorithm: sliding_log, limit: 3, window: 1h }]
            """;

    private static final String MALLORY = "203.0.113.9";
    private static final String ALICE = "198.51.100.1";

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private TestUpstream upstream;
    private Path rules;
    private Path config;

    @TempDir
    Path folder;

    @BeforeEach
    void open() throws Exception {
        upstream = new TestUpstream("here");
        rules = Files.writeString(folder.resolve("rules.yaml"), GUESSING);
        Files.writeString(folder.resolve("keys.yaml"), "keys: [{ sha256: " + HASH + ", user: u-1 }]");
        config = Files.writeString(
                folder.resolve("sluice.yaml"),
                "client: { trusted_proxies: [127.0.0.0/8], headers: [x-forwarded-for] }\n"
                        + "auth: { api_keys: keys.yaml }\n"
                        + "routes:\n  - { path: /api/**, upstreams: '" + upstream.origin() + "' }\n");
    }

    @AfterEach
    void close() {
        upstream.close();
    }

    @Test
    void a35GuessesAreLimitedUntilARuleFileWithoutEarlyRulesIsInForce() throws Exception {
        try (RunningNode running = RunningNode.start(config(), Store::redis)) {
            Node node = running.node;
            assertThat(status(node, "/api/a", MALLORY, "wrong")).isEqualTo(401);
            assertThat(status(node, "/nowhere", MALLORY, "secret")).isEqualTo(404);
            upstream.status = 404;
            assertThat(status(node, "/api/a", MALLORY, "secret")).isEqualTo(404);
            upstream.status = 200;

            assertThat(status(node, "/api/a", MALLORY, "wrong")).isEqualTo(429);
            assertThat(status(node, "/api/a", MALLORY, "secret")).isEqualTo(429);
            assertThat(status(node, "/api/a", ALICE, "secret")).isEqualTo(200);
            assertThat(metrics(node)).contains("rate_limit_rejected_total{limit=\"guessing.0\"");

            Files.writeString(rules, "rules: []");
            await().atMost(Duration.ofMinutes(1)).until(() -> status(node, "/api/a", MALLORY, "secret") == 200);
            assertThat(status(node, "/api/a", MALLORY, "wrong")).isEqualTo(401);
        }
    }

    @Test
    void rulesForCodeLimitNoRequest() throws Exception {
        Files.writeString(rules, """
                rules:
                  - { id: report, for: code, limits: [{ limit: 0, window: 1h }] }
                  - { id: all, limits: [{ by: ip, limit: 1000, window: 1h }] }
                """);
        try (RunningNode running = RunningNode.start(config(), Store::redis)) {
            assertThat(status(running.node, "/api/a", ALICE, "secret")).isEqualTo(200);
        }
    }

    @Test
    void a35NodesOnOneRedisCountAnswersTogether() throws Exception {
        RedisServer redis = RedisServer.shared();
        NodeConfig onRedis = config().withRedis(redis.uri());
        try (RunningNode one = RunningNode.onRedis(onRedis);
                RunningNode other = RunningNode.onRedis(onRedis)) {
            // An answer does not wait until Redis has counted it, so the first refusal may be some guesses late.
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> status(one.node, "/api/a", MALLORY, "wrong") == 429
                            && status(other.node, "/api/a", MALLORY, "wrong") == 429);
            assertThat(status(other.node, "/api/a", ALICE, "secret")).isEqualTo(200);
        }
    }

    private NodeConfig config() {
        return NodeConfig.inProcess(new RulesFrom.File(rules), 0).withGateway(0, new RoutesFrom.File(config));
    }

    private int status(Node node, String path, String address, String key) throws Exception {
        return http.send(
                        HttpRequest.newBuilder(URI.create(node.gateway().orElseThrow() + path))
                                .header("X-Forwarded-For", address)
                                .header("X-API-Key", key)
                                .timeout(Duration.ofSeconds(60))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    private String metrics(Node node) throws Exception {
        return http.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.apiPort() + "/metrics"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
