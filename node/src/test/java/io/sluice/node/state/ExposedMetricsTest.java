package io.sluice.node.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.node.RunningNode;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.RecordingSettings;
import io.sluice.node.config.TelemetrySettings;
import io.sluice.node.telemetry.OtlpServer;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.testkit.http.CenterStub;
import io.sluice.testkit.redis.RedisServer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The metrics page and the metrics that a node exposes are the same: names, types and labels. */
@Timeout(300)
class ExposedMetricsTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "metrics.md");

    private static final Pattern ROW =
            Pattern.compile("^\\| (`.*?) \\| (counter|gauge|histogram) \\| ", Pattern.MULTILINE);
    private static final Pattern NAME = Pattern.compile("`([a-z_]*)(?:\\{([^}]*)})?`");
    private static final Pattern TYPE = Pattern.compile("^# TYPE (\\S+) (\\S+)$", Pattern.MULTILINE);
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");

    private static final String RULES = """
            rules:
              - { id: cost, match: { user: u }, mode: local, limits: [{ limit: 9, window: 1h, cost: { reserve: 1, settle: answer.json.n } }] }
              - { id: a, resource: /a, deadline: 1m, limits: [{ algorithm: sliding_log, limit: 1, window: 1h }] }
              - { id: tried, deadline: 1m, shadow: true, limits: [{ algorithm: sliding_log, limit: 1, window: 1h }] }
            """;

    private record Metric(String type, Set<String> labels) {}

    @Test
    void thePageListsEveryMetricWithItsTypeAndLabelsAndNoOther(@TempDir Path folder) throws Exception {
        Map<String, Metric> documented = documented(Files.readString(PAGE));
        Path token = Files.writeString(folder.resolve("token"), "secret-token");
        try (RedisServer redis = RedisServer.start();
                RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + redis.port());
                OtlpServer receiver = OtlpServer.start();
                CenterStub center = CenterStub.start().answerReports(200, new Fleet(1, 1, "", 0).toJson());
                RunningNode node = RunningNode.onRedis(NodeConfig.inProcess(new RulesFrom.Text("t", RULES), 0)
                        .withGateway(0, new RoutesFrom.Sample())
                        .withTelemetry(TelemetrySettings.to(new TelemetrySettings.Otlp(
                                receiver.endpoint(), Optional.empty(), 0, "test", true, Duration.ofHours(1))))
                        .withCenter(CenterAddress.of(center.url(), token))
                        .withRecording(RecordingSettings.in(folder.resolve("recording")))
                        .withRedis(redis.uri()))) {
            assertThat(replica.isAlive()).isTrue();
            for (int i = 0; i < 2; i++) {
                node.check("{\"attributes\": {\"path\": \"/a\"}}");
            }
            settle(node);
            URI gateway = URI.create(node.node.gateway().orElseThrow() + "/x");
            node.send(HttpRequest.newBuilder(gateway).timeout(Duration.ofSeconds(60)));

            // The store's numbers arrive a moment later, and a request is counted after its answer.
            await().atMost(Duration.ofMinutes(5))
                    .untilAsserted(() -> assertThat(exposed(node.get("/metrics").body()))
                            .containsExactlyInAnyOrderEntriesOf(documented));
        }
    }

    /** Reserves with and without a way to settle, and settles. */
    private static void settle(RunningNode node) {
        String user = "{\"attributes\": {\"user\": \"u\"}";
        node.check(user + "}");
        String answer = node.check(user + ", \"reserve\": true}").body();
        String reservation = answer.substring(answer.lastIndexOf(":\"") + 2, answer.lastIndexOf('"'));
        HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.ofString(
                "{\"reservation\": \"" + reservation + "\", \"actual\": {\"cost.0\": 0}}");
        assertThat(node.send(node.request("/v1/settle").POST(body)).statusCode())
                .isEqualTo(200);
    }

    private static Map<String, Metric> documented(String page) {
        Map<String, Metric> metrics = new TreeMap<>();
        Matcher row = ROW.matcher(page);
        while (row.find()) {
            Set<String> labels = new TreeSet<>();
            List<MatchResult> names = NAME.matcher(row.group(1)).results().toList();
            for (MatchResult name : names) {
                if (name.group(2) != null) {
                    labels.addAll(List.of(name.group(2).split(", ")));
                }
            }
            for (MatchResult name : names) {
                if (!name.group(1).isEmpty()) {
                    metrics.put(name.group(1), new Metric(row.group(2), labels));
                }
            }
        }
        return metrics;
    }

    private static Map<String, Metric> exposed(String text) {
        Map<String, Metric> metrics = new TreeMap<>();
        Matcher type = TYPE.matcher(text);
        while (type.find()) {
            String series = type.group(1) + (type.group(2).equals("histogram") ? "_(?:bucket|count|sum)" : "");
            Set<String> labels = new TreeSet<>();
            Matcher line = Pattern.compile("^" + series + "(?:\\{(.*)})? ", Pattern.MULTILINE)
                    .matcher(text);
            while (line.find()) {
                if (line.group(1) != null) {
                    LABEL.matcher(line.group(1))
                            .results()
                            .map(label -> label.group(1))
                            .forEach(labels::add);
                }
            }
            labels.remove("le");
            metrics.put(type.group(1), new Metric(type.group(2), labels));
        }
        return metrics;
    }
}
