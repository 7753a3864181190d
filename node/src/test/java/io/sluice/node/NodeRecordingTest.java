package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.history.RecordingCheck;
import io.sluice.history.RecordingReport;
import io.sluice.history.RecordingReport.Verdict;
import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.ConfigRefusedException;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.RecordingSettings;
import io.sluice.node.config.StartFailedException;
import io.sluice.runtime.Store;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.erasure.ErasureOrder;
import io.sluice.runtime.erasure.Subject;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.testkit.Await;
import io.sluice.testkit.LiveFolder;
import io.sluice.testkit.http.CenterStub;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node that records what it decides. */
@Timeout(600)
class NodeRecordingTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String RULES = """
            rules:
              - id: here
                resource: /here
                mode: local
                limits: [{ by: user, algorithm: fixed_window, limit: 3, align: year }]
              - id: there
                resource: /there
                mode: distributed
                limits: [{ by: [tenant, user], algorithm: token_bucket, rate: 5/m, burst: 5 }]
            """;

    @TempDir
    private Path folder;

    private static String ask(String user, String path) {
        return "{\"attributes\": {\"user\": \"" + user + "\", \"tenant\": \"acme-77\", \"path\": \"" + path
                + "\", \"method\": \"GET\", \"ip\": \"203.0.113.7\"}}";
    }

    private NodeConfig config(String name) {
        return NodeConfig.inProcess(new RulesFrom.Text("t", RULES), 0)
                .withRecording(RecordingSettings.in(folder.resolve("recordings").resolve(name)));
    }

    private RecordingReport report() throws IOException {
        return new RecordingCheck(1_000_000).check(folder.resolve("recordings"));
    }

    private String content() {
        return String.join("", LiveFolder.contents(folder.resolve("recordings")).values());
    }

    @Test
    void recordsCountsInRedisAndInTheProcess() throws Exception {
        RedisServer redis = RedisServer.shared();
        try (RunningNode one = RunningNode.onRedis(config("one").withRedis(redis.uri()));
                RunningNode two = RunningNode.onRedis(config("two").withRedis(redis.uri()))) {
            Await.until("Redis decides", PATIENCE, () -> one.check(ask("alice-0", "/there"))
                    .body()
                    .contains("\"degraded\":null"));
            for (int i = 0; i < 10; i++) {
                for (RunningNode node : List.of(one, two)) {
                    node.check(ask("alice-" + i % 2, "/here"));
                    node.check(ask("alice-" + i % 2, "/there"));
                }
                one.check(ask("alice-1", "/of-alice-1.json"));
            }
            Await.until("the metric tells", PATIENCE, () -> one.get("/metrics")
                    .body()
                    .contains("rate_limit_recording_dropped_total 0.0"));
        }
        RecordingReport report = report();
        assertThat(report.check().violations()).isEmpty();
        assertThat(report.runs()).isEqualTo(2);
        assertThat(report.limits()).contains("here", "there");
        assertThat(report.decisions()).as("also those of the probes").isGreaterThanOrEqualTo(40);
        assertThat(report.gaps()).isZero();
        assertThat(content())
                .contains("\"resource\":\"/there\"")
                .as("other rules than these can be tried on it")
                .contains("\"method\":\"GET\"", "\"ip\":\"203.0.113.*\"")
                .doesNotContain("alice", "acme-77", "203.0.113.7");
    }

    @Test
    void erasesAUserFromItsRecording() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "secret-token");
        try (CenterStub center = CenterStub.start().answerReports(200, fleet(List.of()));
                RunningNode node = RunningNode.start(
                        config("one").withCenter(CenterAddress.of(center.url(), token)), Store::redis)) {
            for (String user : List.of("alice-4711", "bob-0815")) {
                node.check(ask(user, "/here"));
                node.check(ask(user, "/here"));
            }
            Await.until("four requests are recorded", PATIENCE, () -> requests() == 4);
            Subject subject = new Subject("user", "alice-4711", Map.of());
            center.answerReports(200, fleet(List.of(new ErasureOrder(7, subject))));
            NodeReport report = NodeReport.parse(center.report());
            while (report.answers().erased().isEmpty()) {
                report = NodeReport.parse(center.report());
            }
            assertThat(report.answers().erased().get(0).removed()).containsEntry("recordings", 2L);
            assertThat(requests()).isEqualTo(2);
            assertThat(content()).contains("erased-");
        }
        assertThat(report().verdict()).isEqualTo(Verdict.CLEAN);
    }

    private int requests() {
        return content().split("\"decision\":", -1).length - 1;
    }

    private static String fleet(List<ErasureOrder> orders) {
        return new Fleet(1, 1, "", 0).with(Optional.empty(), orders).toJson();
    }

    @Test
    void doesNotStartIfAnotherProcessUsesTheDirectory() throws Exception {
        try (RunningNode node = RunningNode.start(config("one"), Store::redis)) {
            assertThat(node.check(ask("a", "/here")).statusCode()).isEqualTo(200);
            assertThatThrownBy(() -> RunningNode.start(config("one"), Store::redis))
                    .isInstanceOf(StartFailedException.class)
                    .hasMessageContaining("is in use by another process");
        }
        RunningNode.start(config("one"), Store::redis).close();
    }

    @Test
    void readsItsSettings() throws Exception {
        Path file = folder.resolve("sluice.yaml");
        ConfigFile all = ConfigFile.parse(
                file, "record: { dir: r, max_size: 1MB, max_age: 10m, max_total: 5MB, keep: 2d, plain: [tenant] }\n");
        assertThat(settings(all))
                .hasValue(new RecordingSettings(
                        folder.resolve("r").toAbsolutePath(),
                        1 << 20,
                        Duration.ofMinutes(10),
                        5 << 20,
                        Duration.ofDays(2),
                        Set.of("tenant")));
        assertThat(settings(ConfigFile.parse(file, "record: r\n")))
                .hasValue(RecordingSettings.in(folder.resolve("r").toAbsolutePath()));
        assertThat(settings(ConfigFile.parse(file, "rules: { path: x }\n"))).isEmpty();
        assertThatThrownBy(() -> ConfigFile.parse(file, "record: { dir: r, max_size: 1 }\n"))
                .isInstanceOf(ConfigRefusedException.class);
        assertThatThrownBy(() -> settings(ConfigFile.parse(file, "record: { dir: r, max_total: 1MB }\n")))
                .hasMessageContaining("max_total: 1048576 (expected: at least twice max_size");
    }

    private static Optional<RecordingSettings> settings(ConfigFile file) {
        return file.record().settings(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }
}
