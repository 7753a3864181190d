package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.redis.RedisRulePublisher;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.runtime.NodeId;
import io.sluice.runtime.Store;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.LimiterHealth;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.NodeReport.Breaker;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.fleet.NodeReport.Mode;
import io.sluice.runtime.fleet.StoreHealth;
import io.sluice.testkit.http.CenterStub;
import io.sluice.testkit.http.CenterStub.Listener;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes with a center. */
@Timeout(300)
class NodeFleetTest {

    private static final String CHECK = "{\"attributes\": {\"user\": \"u1\"}}";

    @TempDir
    private Path folder;

    private CenterStub center =
            CenterStub.start().expect("secret-token").answerReports(200, new Fleet(10, 1, "", 0).toJson());

    @AfterEach
    void close() {
        center.close();
    }

    @Test
    void rulesComeFromTheCenterAndReportsGoToIt() throws Exception {
        center.greet(event(1, 2));
        try (RunningNode node = RunningNode.start(config(new RulesFrom.Center()), Store::redis)) {
            assertThat(node.node.rules().version()).isEqualTo(1);
            assertThat(node.check(CHECK).statusCode()).isEqualTo(200);
            NodeReport report = report(each -> each.rules().version() == 1);
            assertThat(report.rules().digest()).isEqualTo(set(1, 2).digest());
            assertThat(report.identity().kind()).isEqualTo(Kind.NODE);
            assertThat(report.rules().follows()).isTrue();
            assertThat(report.identity().name()).isEqualTo(NodeId.host() + ":" + node.node.apiPort());
            assertThat(report.health().mode()).isEqualTo(Mode.LOCAL);
            assertThat(report.health().breaker()).isEqualTo(Breaker.NONE);

            Listener listener = center.listener();
            listener.send(event(2, 0));
            assertThat(report(each -> each.rules().version() == 2).beat()).isGreaterThan(report.beat());
            assertThat(node.check(CHECK).statusCode()).isEqualTo(429);

            listener.send(event(3, 1).replace("1/s", "7/s"));
            NodeReport refusal = report(each -> each.rules().refused().isPresent());
            assertThat(refusal.rules().version()).isEqualTo(2);
            assertThat(refusal.rules().refused().orElseThrow().version()).isEqualTo(3);
            assertThat(refusal.rules().refused().orElseThrow().digest())
                    .isEqualTo(set(3, 1).digest());
            assertThat(refusal.rules().refused().orElseThrow().errors().toString())
                    .contains("the content was changed");
            assertThat(refusal.health().findings().toString()).contains("rules of the center were refused: ");
        }
    }

    /** F22. */
    @Test
    void aNodeIsReadyWithoutItsCenterAndWithTheRulesOfTheLastRun() throws Exception {
        center.greet(event(5, 0));
        NodeConfig config = config(new RulesFrom.Center()).withData(folder.resolve("data"));
        String id;
        try (RunningNode node = RunningNode.start(config, Store::redis)) {
            id = report(each -> each.rules().version() == 5).node();
            await().until(() -> Files.exists(folder.resolve("data/kept-rules.json")));
            assertThat(node.check(CHECK).statusCode()).isEqualTo(429);
        }
        center.close();
        try (RunningNode node = RunningNode.start(config, Store::redis)) {
            assertThat(node.get("/health").statusCode()).isEqualTo(200);
            assertThat(node.check(CHECK).statusCode()).isEqualTo(429);
            assertThat(node.node.hasKeptRules()).isTrue();
            await().untilAsserted(() -> assertThat(node.get("/health").body())
                    .contains("the center is lost: ", "reports do not reach the center: "));
            center = CenterStub.start(center.port())
                    .answerReports(200, new Fleet(1, 6, "", 0).toJson())
                    .greet(event(6, 1));
            NodeReport report = report(each -> each.rules().version() == 6);
            assertThat(report.node()).isEqualTo(id);
            await().until(() -> node.node.findings().isEmpty());
        }
    }

    /** The center has what was charged before, and it is away. */
    @Test
    void healthSaysThatDurableLimitsAreNotRestored() throws Exception {
        Path file = Files.writeString(
                folder.resolve("rules.yaml"),
                "rules: [{ id: a, limits: [{ algorithm: fixed_window, limit: 3, align: month, durable: true }] }]");
        int port = center.port();
        center.close();
        NodeConfig config = config(new RulesFrom.File(file))
                .withRedis(RedisServer.shared().uri())
                .withData(folder.resolve("data"));
        try (RunningNode node = RunningNode.start(config, Store::redis)) {
            await().untilAsserted(
                            () -> assertThat(node.get("/health").body()).contains("\"degraded\":\"not-restored\""));
            center = CenterStub.start(port).answerReports(200, new Fleet(1, 6, "", 0).toJson());
        }
    }

    @Test
    void aNodeWithRulesInAFileReportsThem() throws Exception {
        Path file = Files.writeString(folder.resolve("rules.yaml"), "rules: [{ id: a, limits: [{ rate: 3 }] }]");
        try (RunningNode node = RunningNode.start(config(new RulesFrom.File(file)), Store::redis)) {
            NodeReport report = report(each -> true);
            assertThat(report.rules().version()).isEqualTo(1);
            assertThat(report.rules().digest()).isEqualTo(node.node.rules().digest());
            assertThat(report.rules().follows()).isFalse();
            assertThat(center.requests()).allMatch(request -> request.startsWith("POST "));
        }
    }

    @Test
    void aNodeWithRulesFromRedisReportsOverHttpIfItHasACenter() throws Exception {
        try (RedisServer redis = RedisServer.start();
                RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            assertThat(publisher.release(set(1, 2).rules()).trouble()).isEmpty();
            NodeConfig config =
                    config(new RulesFrom.Nowhere()).withRedis(redis.uri()).withRules(new RulesFrom.Store());
            try (RunningNode node = RunningNode.onRedis(config)) {
                NodeReport report = report(each ->
                        each.health().mode() == Mode.REMOTE && each.rules().version() == 1);
                assertThat(report.health().breaker()).isEqualTo(Breaker.CLOSED);
                assertThat(node.node.rules().version()).isEqualTo(1);
                assertThat(redis.command("EXISTS", "rate_limit_nodes").number()).isZero();
            }
        }
    }

    @Test
    void aNodeWithRulesFromRedisReportsThroughRedis() throws Exception {
        try (RedisServer redis = RedisServer.start();
                RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            redis.command("SET", "rate_limit_fleet", new Fleet(10, 1, "", 0).toJson());
            assertThat(publisher.release(set(1, 2).rules()).trouble()).isEmpty();
            NodeConfig config = NodeConfig.inProcess(new RulesFrom.Nowhere(), 0)
                    .withRedis(redis.uri())
                    .withRules(new RulesFrom.Store())
                    .withData(folder.resolve("data"));
            try (RunningNode node = RunningNode.onRedis(config)) {
                String id = Files.readString(folder.resolve("data/node-id")).strip();
                await().until(
                                () -> redis.command("SMEMBERS", "rate_limit_nodes")
                                        .texts(),
                                List.of(id)::equals);
                await().until(() ->
                        redis.command("EXISTS", "rate_limit_node:" + id).number() == 1);
                assertThat(node.node.findings()).isEmpty();
            }
        }
    }

    @Test
    void saysSinceWhenItsRedisIsAwayAndHowItsCallsWent() throws Exception {
        Path file = Files.writeString(
                folder.resolve("rules.yaml"), "rules: [{ id: a, on_failure: closed, limits: [{ rate: 1000 }] }]");
        try (RedisServer redis = RedisServer.start();
                RunningNode node =
                        RunningNode.onRedis(config(new RulesFrom.File(file)).withRedis(redis.uri()))) {
            Predicate<NodeReport> isAsked = each -> node.check(CHECK).statusCode() != 500;
            LimiterHealth well = health(report(isAsked.and(each ->
                    each.health().mode() == Mode.REMOTE && health(each).store().p99Micros() > 0)));
            assertThat(well.store().kind()).isEqualTo(StoreHealth.Kind.REDIS);
            assertThat(well.store().p50Micros()).isBetween(1L, well.store().p99Micros());
            assertThat(well.store().errors()).isLessThanOrEqualTo(well.store().calls());
            assertThat(well.onFailure()).isEqualTo(new LimiterHealth.OnFailure(0, 0, 1));

            redis.kill();
            NodeReport away = report(isAsked.and(
                    each -> each.health().mode() == Mode.CLOSED && each.health().breaker() == Breaker.OPEN));
            long since = health(away).modeSinceMillis();
            assertThat(since)
                    .isGreaterThanOrEqualTo(well.modeSinceMillis())
                    .isLessThanOrEqualTo(health(away).store().asOfMillis());
            NodeReport later = report(isAsked.and(each -> each.beat() > away.beat() + 1));
            assertThat(later.health().mode()).isNotEqualTo(Mode.REMOTE);
            assertThat(health(later).modeSinceMillis()).isEqualTo(since);

            redis.restart();
            NodeReport back =
                    report(isAsked.and(each -> each.health().mode() == Mode.REMOTE && each.beat() > later.beat()));
            assertThat(health(back).modeSinceMillis()).isGreaterThan(since);
        }
    }

    private static LimiterHealth health(NodeReport report) {
        return report.health().limiter().orElseThrow();
    }

    /** Ten nodes admit the limit together, and not five times as much. */
    @Test
    void aNodeWithoutItsStoreAdmitsItsPartOfTheLimit() throws Exception {
        Path file = Files.writeString(
                folder.resolve("rules.yaml"),
                "rules: [{ id: a, limits: [{ algorithm: fixed_window, limit: 100, align: year }] }]");
        NodeConfig config = config(new RulesFrom.File(file)).withRedis("redis://127.0.0.1:1");
        try (RunningNode node = RunningNode.start(config, Store::redis)) {
            // The second report is sent after the answer to the first.
            report(each -> each.beat() == 1);
            int allowed = 0;
            for (int i = 0; i < 150; i++) {
                allowed += node.check(CHECK).statusCode() == 200 ? 1 : 0;
            }
            assertThat(allowed).isEqualTo(10);
        }
    }

    @Test
    void aMissingTokenFileFailsTheStart() {
        Path file = folder.resolve("none");
        NodeConfig config =
                NodeConfig.inProcess(new RulesFrom.Nowhere(), 0).withCenter(CenterAddress.of(center.url(), file));

        assertThatExceptionOfType(StartFailedException.class)
                .isThrownBy(() -> RunningNode.start(config, Store::redis))
                .withMessage("center token file " + file + ": missing (expected: a file with the token of the center)");
    }

    private NodeConfig config(RulesFrom rules) throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "secret-token");
        return NodeConfig.inProcess(new RulesFrom.Nowhere(), 0)
                .withCenter(CenterAddress.of(center.url(), token))
                .withRules(rules);
    }

    private NodeReport report(Predicate<NodeReport> wanted) throws InterruptedException {
        NodeReport report;
        do {
            report = NodeReport.parse(center.report());
        } while (!wanted.test(report));
        return report;
    }

    private static String event(int version, int rate) {
        StringBuilder text = new StringBuilder();
        RuleSetText.write(set(version, rate), text::append);
        return CenterStub.rules(version, set(version, rate).digest(), text.toString());
    }

    private static RuleSet set(int version, int rate) {
        RuleDocument.Accepted document = (RuleDocument.Accepted)
                RuleDocument.parse("test", "rules: [{ id: a, limits: [{ rate: " + rate + "/s }] }]");
        return new RuleSet(version, document.rules());
    }
}
