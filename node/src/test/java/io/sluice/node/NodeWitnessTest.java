package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.redis.RedisRulePublisher;
import io.sluice.runtime.Store;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.witness.WitnessReport;
import io.sluice.testkit.Await;
import io.sluice.testkit.audit.SignedLog;
import io.sluice.testkit.http.CenterStub;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A41: nodes that witness the audit log of their center, over HTTP and through Redis. */
@Timeout(600)
class NodeWitnessTest {

    private static final long AT = 1_790_000_000_000L;

    @TempDir
    private Path folder;

    private final SignedLog log = SignedLog.of(120);
    private final CenterStub center = CenterStub.start().expect("secret-token").answerReports(200, log.answer(AT));

    @AfterEach
    void close() {
        center.close();
    }

    @Test
    void aNodeReportsWhatItWitnessedAndSaysWhatItRefuses() throws Exception {
        NodeConfig config = overHttp("node");
        try (RunningNode node = RunningNode.start(config, Store::redis)) {
            WitnessReport first = witness(each -> each.size() == 120);
            assertThat(first.log()).isEqualTo(log.id());
            assertThat(first.root()).isEqualTo(log.root(120));
            assertThat(first.key()).isEqualTo(log.keyId());
            assertThat(metrics(node))
                    .contains("rate_limit_audit_size 120.0", "rate_limit_audit_refused 0.0")
                    .anyMatch(line -> line.startsWith("rate_limit_audit_age_seconds "));

            center.answerReports(200, log.add(10).answer(AT + 60_000, 120, 130));
            assertThat(witness(each -> each.size() == 130).refused()).isEmpty();

            center.answerReports(200, log.copy().rewrite(7).add(70).answer(AT + 120_000, 120, 130));
            String why = "the center shows another history: its 200 rows do not begin with the 130 rows that this node"
                    + " has witnessed";
            WitnessReport refusal = witness(each -> each.refused().isPresent());
            assertThat(refusal.refused()).hasValue(why);
            assertThat(refusal.size()).isEqualTo(130);
            assertThat(node.get("/health").body()).contains("the audit log of the center is refused: " + why);
            assertThat(node.get("/health").statusCode()).isEqualTo(200);
            assertThat(metrics(node)).contains("rate_limit_audit_size 130.0", "rate_limit_audit_refused 1.0");
        }
        // It still knows after a restart.
        try (RunningNode node = RunningNode.start(config, Store::redis)) {
            until("the refusal after a restart", () -> isRefusing(node));
            center.answerReports(200, log.add(1).answer(AT + 180_000, 130));
            until("the good log", () -> node.node.findings().isEmpty());
            assertThat(witness(each -> each.size() == 131).refused()).isEmpty();
        }
    }

    @Test
    void everyNodeRefusesALongerHistoryThatWasRewrittenAndSignedWithTheRightKey() throws Exception {
        try (RedisServer redis = RedisServer.start();
                RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            redis.command("SET", "rate_limit_fleet", log.answer(AT));
            RuleDocument.Accepted rules =
                    (RuleDocument.Accepted) RuleDocument.parse("test", "rules: [{ id: a, limits: [{ rate: 5 }] }]");
            assertThat(publisher.release(rules.rules()).trouble()).isEmpty();
            List<RunningNode> nodes = new ArrayList<>();
            try {
                for (int i = 1; i <= 3; i++) {
                    nodes.add(RunningNode.start(overHttp("node" + i), Store::redis));
                }
                nodes.add(RunningNode.onRedis(NodeConfig.inProcess(new RulesFrom.Nowhere(), 0)
                        .withRedis(redis.uri())
                        .withRules(new RulesFrom.Store())
                        .withData(folder.resolve("node4"))));
                for (int i = 1; i <= 4; i++) {
                    Path kept = folder.resolve("node" + i).resolve("audit-witness");
                    until("node " + i + " witnesses", () -> Files.exists(kept));
                }
                assertThat(nodes).noneMatch(NodeWitnessTest::isRefusing);

                String forged = log.copy().rewrite(60).add(500).answer(AT + 60_000, 120);
                center.answerReports(200, forged);
                redis.command("SET", "rate_limit_fleet", forged);
                for (RunningNode node : nodes) {
                    until("a node refuses", () -> isRefusing(node));
                    assertThat(node.get("/health").body()).contains("the center shows another history");
                }
                String good = log.add(1).answer(AT + 120_000, 120);
                center.answerReports(200, good);
                redis.command("SET", "rate_limit_fleet", good);
                for (RunningNode node : nodes) {
                    until("a node accepts again", () -> !isRefusing(node));
                    assertThat(metrics(node)).contains("rate_limit_audit_size 121.0");
                }
            } finally {
                nodes.forEach(RunningNode::close);
            }
        }
    }

    /** An older center. */
    @Test
    void aCenterWithoutCheckpointsIsFine() throws Exception {
        center.answerReports(200, new Fleet(1, 0, "", 0).toJson());
        try (RunningNode node = RunningNode.start(overHttp("node"), Store::redis)) {
            NodeReport report = report(each -> each.beat() == 2);
            assertThat(report.answers().witness()).isEmpty();
            assertThat(report.health().findings()).isEmpty();
            assertThat(metrics(node)).contains("rate_limit_audit_size 0.0", "rate_limit_audit_age_seconds NaN");
            assertThat(folder.resolve("node/audit-witness")).doesNotExist();
        }
    }

    @Test
    void aNodeWithoutACenterHasNoMetricsOfIt() throws Exception {
        try (RunningNode node = RunningNode.withRules("rules: [{ id: a, limits: [{ rate: 5 }] }]")) {
            assertThat(metrics(node)).noneMatch(line -> line.contains("rate_limit_audit"));
        }
    }

    private NodeConfig overHttp(String data) throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "secret-token");
        Path rules = Files.writeString(folder.resolve("rules.yaml"), "rules: [{ id: a, limits: [{ rate: 3 }] }]");
        return NodeConfig.inProcess(new RulesFrom.Nowhere(), 0)
                .withCenter(CenterAddress.of(center.url(), token))
                .withRules(new RulesFrom.File(rules))
                .withData(folder.resolve(data));
    }

    private static boolean isRefusing(RunningNode node) {
        return node.node.findings().stream()
                .anyMatch(each -> each.startsWith("the audit log of the center is refused"));
    }

    private static List<String> metrics(RunningNode node) {
        return node.get("/metrics").body().lines().toList();
    }

    private static void until(String what, BooleanSupplier condition) {
        Await.until(what, Duration.ofMinutes(5), condition);
    }

    private WitnessReport witness(Predicate<WitnessReport> wanted) throws InterruptedException {
        return report(each -> each.answers().witness().filter(wanted).isPresent())
                .answers()
                .witness()
                .orElseThrow();
    }

    private NodeReport report(Predicate<NodeReport> wanted) throws InterruptedException {
        NodeReport report;
        do {
            report = NodeReport.parse(center.report());
        } while (!wanted.test(report));
        return report;
    }
}
