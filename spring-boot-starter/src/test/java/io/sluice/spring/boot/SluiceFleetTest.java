package io.sluice.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.rules.caller.CallerMark;
import io.sluice.rules.caller.CallerMarks;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.redis.RedisRulePublisher;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.source.RuleSource;
import io.sluice.runtime.HashKeyFile;
import io.sluice.runtime.caller.CallerQuestion;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.FrequentCallers;
import io.sluice.runtime.data.RefusedMinute;
import io.sluice.runtime.erasure.ErasureOrder;
import io.sluice.runtime.erasure.Subject;
import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.LimiterHealth;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.fleet.NodeReport.Mode;
import io.sluice.runtime.fleet.StoreHealth;
import io.sluice.runtime.fleet.Tally;
import io.sluice.runtime.fleet.TrialReport;
import io.sluice.runtime.participant.Membership;
import io.sluice.runtime.participant.Participant;
import io.sluice.testkit.audit.SignedLog;
import io.sluice.testkit.http.CenterStub;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications with a center. */
@Timeout(300)
class SluiceFleetTest {

    @TempDir
    private Path folder;

    private final CenterStub center =
            CenterStub.start().expect("secret-token").answerReports(200, new Fleet(10, 1, "", 0).toJson());
    private ApplicationContextRunner application;

    @BeforeEach
    void prepare() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "secret-token\n");
        application = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class))
                .withPropertyValues(
                        "spring.application.name=my shop",
                        "sluice.center.url=" + center.url(),
                        "sluice.center.token-file=" + token);
    }

    @AfterEach
    void close() {
        center.close();
    }

    @Test
    void rulesComeFromTheCenterAndReportsGoToIt() {
        center.greet(event(1));
        application.run(context -> {
            assertThat(context.getBean(RuleSource.class).latest().version()).isEqualTo(1);
            NodeReport report = report(each -> each.rules().version() == 1);
            assertThat(report.identity().kind()).isEqualTo(Kind.APPLICATION);
            assertThat(report.identity().name()).isEqualTo("my shop");
            assertThat(report.node()).endsWith(":my-shop:8080");
            assertThat(report.rules().digest()).isEqualTo(set(1).digest());
            assertThat(report.health().mode()).isEqualTo(Mode.LOCAL);
            assertThat(report.health().limiter().orElseThrow().store().kind()).isEqualTo(StoreHealth.Kind.MEMORY);
            center.listener().send(event(2));
            assertThat(report(each -> each.rules().version() == 2).rules().digest())
                    .isEqualTo(set(2).digest());
            assertThat(context.getBean(SluiceState.class).findings()).isEmpty();
        });
    }

    @Test
    void countsBothSidesOfATrialAndShowsIt() {
        center.greet(event(1) + event(2).replaceFirst("event: rules\nid: .*\n", "event: trial\n")
                + "event: state\ndata: {\"version\":1,\"trial\":\"2 named u-1 by user key 0123456789abcdef\","
                + "\"adjustments\":{\"revision\":7,\"overrides\":[],\"switches\":[]}}\n\n");
        application.run(context -> {
            RuleSource rules = context.getBean(RuleSource.class);
            await().atMost(Duration.ofMinutes(5)).until(() -> rules.latest().trial() != null);
            Evaluator evaluator = context.getBean(Evaluator.class);
            for (String user : List.of("u-1", "u-1", "u-2")) {
                evaluator
                        .evaluate(Attributes.of(Map.of("user", user)), 1)
                        .toCompletableFuture()
                        .join();
            }
            NodeReport report = report(each -> each.data().tally().requests() == 3);
            assertThat(report.rules().adjustments()).isEqualTo(7);
            TrialReport trial = report.data().trial().orElseThrow();
            assertThat(trial.version()).isEqualTo(2);
            assertThat(trial.trial().stream().mapToLong(Tally::requests).sum()).isEqualTo(2);
            assertThat(trial.control().stream().mapToLong(Tally::requests).sum())
                    .isEqualTo(1);
            Map<String, Object> shown =
                    new SluiceEndpoint(context.getBean(SluiceState.class), evaluator, PathForm.STRICT).state();
            assertThat(shown.get("trial"))
                    .isEqualTo(Map.of("version", 2L, "digest", set(2).digest(), "who", "1 named by user"));
            assertThat(shown.get("adjustments")).isEqualTo(Map.of("revision", 7L, "overrides", 0, "switches", 0));
        });
    }

    @Test
    void saysHowTheCallsToItsRedisWent() {
        try (RedisServer redis = RedisServer.start()) {
            application
                    .withPropertyValues(
                            "sluice.redis.uri=" + redis.uri(),
                            "sluice.rules[0].id=a",
                            "sluice.rules[0].on_failure=open",
                            "sluice.rules[0].limits[0].rate=1000")
                    .run(context -> {
                        Evaluator evaluator = context.getBean(Evaluator.class);
                        LimiterHealth health = report(each -> {
                                    evaluator
                                            .evaluate(Attributes.of(Map.of("user", "u-1")), 1)
                                            .toCompletableFuture()
                                            .join();
                                    return each.health()
                                                    .limiter()
                                                    .orElseThrow()
                                                    .store()
                                                    .p99Micros()
                                            > 0;
                                })
                                .health()
                                .limiter()
                                .orElseThrow();
                        assertThat(health.store().kind()).isEqualTo(StoreHealth.Kind.REDIS);
                        assertThat(health.store().calls()).isPositive();
                        assertThat(health.onFailure()).isEqualTo(new LimiterHealth.OnFailure(1, 0, 0));
                        assertThat(health.modeSinceMillis()).isPositive();
                    });
        }
    }

    @Test
    void anApplicationWithRulesOfItsOwnReportsThem() {
        application
                .withPropertyValues("sluice.rules[0].id=a", "sluice.rules[0].limits[0].rate=5")
                .run(context -> {
                    NodeReport report = report(each -> true);
                    assertThat(report.rules().digest())
                            .isEqualTo(
                                    context.getBean(RuleSource.class).latest().digest());
                    assertThat(center.requests()).allMatch(request -> request.startsWith("POST "));
                });
    }

    @Test
    void erasesTheCountsOfAUserWhenTheCenterOrdersIt() {
        application
                .withPropertyValues(
                        "sluice.rules[0].id=a",
                        "sluice.rules[0].limits[0].by=user",
                        "sluice.rules[0].limits[0].algorithm=fixed_window",
                        "sluice.rules[0].limits[0].limit=1",
                        "sluice.rules[0].limits[0].align=year",
                        "sluice.rules[0].limits[0].privacy=hash")
                .run(context -> {
                    Evaluator evaluator = context.getBean(Evaluator.class);
                    assertThat(passes(evaluator, "u-17")).isTrue();
                    assertThat(passes(evaluator, "u-18")).isTrue();
                    assertThat(passes(evaluator, "u-17")).isFalse();
                    ErasureOrder order = new ErasureOrder(3, new Subject("user", "u-17", Map.of()));
                    center.answerReports(
                            200,
                            new Fleet(10, 1, "", 0)
                                    .with(Optional.empty(), List.of(order))
                                    .toJson());
                    NodeReport report = report(each -> !each.answers().erased().isEmpty());
                    assertThat(report.answers().erased().get(0).removed())
                            .isEqualTo(Map.of("counts", 1L, "refused_callers", 1L));
                    assertThat(report.answers().erased().get(0).hashes()).hasSize(1);
                    assertThat(passes(evaluator, "u-17")).isTrue();
                    assertThat(passes(evaluator, "u-18")).isFalse();
                });
    }

    @Test
    void tellsTheCenterWhoWasRefusedAndAnswersQuestions() throws Exception {
        Path key = Files.writeString(folder.resolve("key"), "0123456789abcdef");
        String hash = new CallerMarks(new KeySettings(HashKeyFile.read(key), 64))
                .of(RuleSet.none(), "user", Attributes.of(Map.of("user", "u-100086")))
                .orElseThrow()
                .hash();
        application
                .withPropertyValues(
                        "sluice.hash-key-file=" + key,
                        "sluice.rules[0].id=a",
                        "sluice.rules[0].limits[0].by=user",
                        "sluice.rules[0].limits[0].algorithm=fixed_window",
                        "sluice.rules[0].limits[0].limit=1",
                        "sluice.rules[0].limits[0].align=year")
                .run(context -> {
                    Evaluator evaluator = context.getBean(Evaluator.class);
                    assertThat(passes(evaluator, "u-100086")).isTrue();
                    assertThat(passes(evaluator, "u-100086")).isFalse();
                    center.answerReports(
                            200,
                            new Fleet(10, 1, "", 0)
                                    .with(
                                            OptionalLong.empty(),
                                            List.of(new CallerQuestion(1, hash, CallerQuestion.Kind.REVEAL)))
                                    .toJson());
                    NodeReport report = report(each -> !each.answers().callers().isEmpty());
                    assertThat(report.answers().callers().get(0).content())
                            .contains("{\"attributes\":{\"user\":\"u-100086\"},\"hidden\":[]}");
                    context.getBean(Participant.class).refused().orElseThrow().flush();
                    assertThat(callers(report(each -> !callers(each).isEmpty()))
                                    .get(0)
                                    .groups())
                            .anySatisfy(group -> assertThat(FrequentCallers.of(group.frequent(), 128)
                                            .counted())
                                    .singleElement()
                                    .satisfies(each ->
                                            assertThat(each.caller()).isEqualTo(new CallerMark("u****86", hash))));
                });
    }

    private static List<RefusedMinute> callers(NodeReport report) {
        return report.data().traffic().stream()
                .flatMap(data -> data.batches().stream())
                .filter(batch -> batch.kind() == DataBatch.Kind.CALLERS)
                .map(batch -> RefusedMinute.of(batch.content()))
                .toList();
    }

    private static boolean passes(Evaluator evaluator, String user) {
        Ruling ruling = evaluator
                .evaluate(Attributes.of(Map.of("user", user)), 1)
                .toCompletableFuture()
                .join();
        return ((Ruling.Settled) ruling).allowed();
    }

    @Test
    void anApplicationWithoutItsStoreAdmitsItsPartOfTheLimit() {
        application
                .withPropertyValues(
                        "sluice.redis.uri=redis://127.0.0.1:1",
                        "sluice.rules[0].id=a",
                        "sluice.rules[0].limits[0].algorithm=fixed_window",
                        "sluice.rules[0].limits[0].limit=100",
                        "sluice.rules[0].limits[0].align=year")
                .run(context -> {
                    Evaluator evaluator = context.getBean(Evaluator.class);
                    await().atMost(Duration.ofMinutes(5))
                            .until(() -> context.getBean(Membership.class).liveNodes() == 10);
                    int allowed = 0;
                    for (int i = 0; i < 150; i++) {
                        Ruling ruling = evaluator
                                .evaluate(Attributes.of(Map.of()), 1)
                                .toCompletableFuture()
                                .join();
                        allowed += ((Ruling.Settled) ruling).allowed() ? 1 : 0;
                    }
                    assertThat(allowed).isEqualTo(10);
                });
    }

    @Test
    void withoutACenterReportsGoThroughTheRedisThatHasTheRules() throws Exception {
        try (RedisServer redis = RedisServer.start();
                RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            assertThat(publisher.release(set(1).rules()).trouble()).isEmpty();
            redis.command("SET", "rate_limit_fleet", new Fleet(4, 1, "", 0).toJson());
            ApplicationContextRunner alone = new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class))
                    .withPropertyValues("sluice.redis.uri=" + redis.uri(), "server.port=0");
            alone.run(context -> {
                await().atMost(Duration.ofMinutes(5))
                        .until(() -> context.getBean(Membership.class).liveNodes() == 4);
                assertThat(redis.command("SMEMBERS", "rate_limit_nodes").texts())
                        .containsExactly(context.getBean(Membership.class).id());
            });
        }
    }

    @Test
    void anApplicationWithRulesOfItsOwnReportsNothingThroughRedis() {
        try (RedisServer redis = RedisServer.start()) {
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class))
                    .withPropertyValues("sluice.redis.uri=" + redis.uri(), "server.port=0")
                    .withPropertyValues("sluice.rules[0].id=a", "sluice.rules[0].limits[0].rate=5")
                    .run(context -> assertThat(context.getBean(Membership.class).liveNodes())
                            .isZero());
            assertThat(redis.command("EXISTS", "rate_limit_nodes").number()).isZero();
        }
    }

    /** A41. */
    @Test
    void witnessesTheAuditLogAndSaysWhatItRefuses() {
        SignedLog log = SignedLog.of(120);
        center.answerReports(200, log.answer(1_790_000_000_000L));
        ApplicationContextRunner witness = application
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues(
                        "sluice.data-dir=" + folder.resolve("data"),
                        "sluice.rules[0].id=a",
                        "sluice.rules[0].limits[0].rate=5");
        String why = "the center shows another history: its 150 rows do not begin with the 120 rows that this node has"
                + " witnessed";
        witness.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            NodeReport report = report(each -> each.answers().witness().isPresent());
            assertThat(report.answers().witness().orElseThrow().size()).isEqualTo(120);
            assertThat(registry.get("rate_limit_audit_size").gauge().value()).isEqualTo(120);
            assertThat(registry.get("rate_limit_audit_refused").gauge().value()).isZero();
            center.answerReports(200, log.copy().rewrite(1).add(30).answer(1_790_000_060_000L, 120));
            await().atMost(Duration.ofMinutes(5)).untilAsserted(() -> assertThat(
                            context.getBean(SluiceState.class).findings())
                    .containsExactly("the audit log of the center is refused: " + why));
            assertThat(registry.get("rate_limit_audit_refused").gauge().value()).isEqualTo(1);
            assertThat(HealthReport.of(context.getBean(SluiceState.class))
                            .details()
                            .get("findings"))
                    .asString()
                    .contains(why);
        });
        // The next run has not forgotten it.
        witness.run(context -> await().atMost(Duration.ofMinutes(5))
                .until(() ->
                        context.getBean(SluiceState.class).findings().toString().contains(why)));
    }

    @Test
    void saysThatTheCenterIsLost() {
        center.close();
        application.run(context -> await().atMost(Duration.ofMinutes(5)).untilAsserted(() -> assertThat(
                        context.getBean(SluiceState.class).findings())
                .contains(
                        "the center is lost: it accepts no connection",
                        "reports do not reach the center: it accepts no connection")));
    }

    @Test
    void aTokenFileAloneIsNoCenter() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class))
                .withPropertyValues("sluice.center.token-file=" + folder.resolve("none"))
                .run(context ->
                        assertThat(context.getBean(Membership.class).center()).isEmpty());
    }

    @Test
    void saysWhatIsWrongWithTheProperties() {
        assertFails(
                "sluice.center.url: without a token (expected: sluice.center.token-file too, a file with the token)",
                "sluice.center.url=http://127.0.0.1:1");
        assertFails(
                "center: ftp://x (expected: http://HOST:PORT or https://HOST:PORT)",
                "sluice.center.url=ftp://x",
                "sluice.center.token-file=x");
        assertFails(
                "sluice.center.token-file: center token file " + folder.resolve("none")
                        + ": missing (expected: a file with the token of the center)",
                "sluice.center.url=http://127.0.0.1:1",
                "sluice.center.token-file=" + folder.resolve("none"));
    }

    private static void assertFails(String message, String... properties) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class))
                .withPropertyValues(properties)
                .run(context ->
                        assertThat(context.getStartupFailure()).rootCause().hasMessage(message));
    }

    private NodeReport report(Predicate<NodeReport> wanted) throws InterruptedException {
        NodeReport report;
        do {
            report = NodeReport.parse(center.report());
        } while (!wanted.test(report));
        return report;
    }

    private static String event(int version) {
        StringBuilder text = new StringBuilder();
        RuleSetText.write(set(version), text::append);
        return CenterStub.rules(version, set(version).digest(), text.toString());
    }

    private static RuleSet set(int version) {
        RuleDocument.Accepted document = (RuleDocument.Accepted)
                RuleDocument.parse("test", "rules: [{ id: a, limits: [{ rate: " + version + " }] }]");
        return new RuleSet(version, document.rules());
    }
}
