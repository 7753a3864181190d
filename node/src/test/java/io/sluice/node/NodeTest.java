package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.StartFailedException;
import io.sluice.redis.store.StoreState;
import io.sluice.rules.caller.KeySecret;
import io.sluice.runtime.Store;
import io.sluice.testkit.redis.RedisServer;
import java.net.ConnectException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class NodeTest {

    private static final String RULES = "rules: [{ id: a, deadline: 1m, on_failure: closed, limits: [{ rate: 5 }] }]";
    private static final String CHECK = "{\"attributes\": {}}";

    @TempDir
    Path folder;

    @Test
    @EnabledOnOs(OS.LINUX)
    void usesTheNativeTransportOnLinux() throws Exception {
        try (RunningNode node = RunningNode.withRules("rules: []")) {
            assertThat(node.node.usesNativeTransport()).isTrue();
        }
    }

    @Test
    void aPortInUseSaysWhatToDo() throws Exception {
        try (RunningNode first = RunningNode.withRules("rules: []")) {
            NodeConfig config = NodeConfig.inProcess(new RulesFrom.Text("t", "rules: []"), first.node.apiPort());

            assertThatThrownBy(() -> Node.start(config))
                    .isInstanceOf(StartFailedException.class)
                    .hasMessage("api port " + first.node.apiPort() + " on 127.0.0.1: in use"
                            + " (expected: a free port; choose another with --api-port, 0 takes any)");
            assertThat(first.get("/health").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void onRedisAHashNeedsAKeyAndThenNoValueIsStored() throws Exception {
        String rules = """
            rules:
              - { id: sms, deadline: 1m, limits: [{ by: header.x-phone, limit: 1, window: 1h, privacy: hash }] }
            """;
        String check = "{\"attributes\": {\"header.X-Phone\": \"01701234567\"}}";
        RedisServer redis = RedisServer.shared();
        NodeConfig config =
                NodeConfig.inProcess(new RulesFrom.Text("t", rules), 0).withRedis(redis.uri());
        assertThatThrownBy(() -> Node.start(config))
                .isInstanceOf(StartFailedException.class)
                .hasMessageStartingWith("hash key: none, but rules use privacy: hash (expected: rules.hash_key_file");
        NodeConfig keyed = config.withHashKey(KeySecret.of(new byte[32]));
        try (RunningNode one = RunningNode.onRedis(keyed);
                RunningNode two = RunningNode.onRedis(keyed)) {
            assertThat(one.check(check).statusCode()).isEqualTo(200);
            assertThat(two.check(check).statusCode()).isEqualTo(429);
        }
        RedisClient client = RedisClient.create(redis.uri());
        assertThat(client.connect().sync().keys("*"))
                .isNotEmpty()
                .noneMatch(key -> key.contains("0170"))
                .anyMatch(key -> key.startsWith("rate_limit:sms:"));
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }

    @Test
    void refusalsFromMemoryAreCountedAndAreNotDegraded() throws Exception {
        String rules = "rules: [{ id: a, deadline: 1m, on_failure: closed, limits: [{ limit: 1, window: 1h }] }]";
        RedisServer redis = RedisServer.shared();
        NodeConfig config =
                NodeConfig.inProcess(new RulesFrom.Text("t", rules), 0).withRedis(redis.uri());
        try (RunningNode node = RunningNode.onRedis(config)) {
            double before = remembered(node);
            assertThat(node.check(CHECK).statusCode()).isEqualTo(200);
            AtomicInteger asked = new AtomicInteger();
            // Until Redis announces returned permits, a refusal is cached only briefly.
            await().until(() -> {
                HttpResponse<String> refused = node.check(CHECK);
                assertThat(refused.statusCode()).isEqualTo(429);
                assertThat(refused.body()).contains("\"degraded\":null", "\"remaining\":0");
                asked.incrementAndGet();
                return remembered(node) - before >= 10;
            });
            assertThat(remembered(node) - before).isLessThan(asked.get());
            assertThat(node.get("/metrics").body()).contains("rate_limit_store_calls_total{outcome=\"guarded\"} 0.0");
        }
    }

    private static double remembered(RunningNode node) throws Exception {
        String series = "rate_limit_store_calls_total{outcome=\"remembered\"} ";
        return node.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(series))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
                .sum();
    }

    @Test
    void aChangeThatNeedsAHashKeyIsRefusedAndTheRulesInForceStay() throws Exception {
        Path file = folder.resolve("rules.yaml");
        Path data = folder.resolve("data");
        Files.writeString(file, RULES);
        NodeConfig config = NodeConfig.inProcess(new RulesFrom.File(file), 0).withRedis("redis://unused");
        for (NodeConfig each : List.of(config, config.withData(data))) {
            Files.writeString(file, RULES);
            try (RunningNode node = RunningNode.start(each, FakeStore.answering())) {
                Files.writeString(
                        file, "rules: [{ id: b, limits: [{ by: user, limit: 1, window: 1m, privacy: hash }] }]");
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> node.get("/metrics").body().contains("rate_limit_rule_errors_total 1.0"));
                assertThat(node.check(CHECK).body()).contains("\"matched\":[\"a\"]");

                Files.writeString(file, RULES.replace("id: a", "id: c"));
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> node.check(CHECK).body().contains("\"matched\":[\"c\"]"));
                assertThat(node.get("/metrics").body()).contains("rate_limit_rule_errors_total 1.0");
            }
        }
    }

    @Test
    void allErrorsInBadRulesAreListed() {
        NodeConfig config = NodeConfig.inProcess(new RulesFrom.Text("t", "rules: [{ id: a }, { id: b }]"), 0);

        StartFailedException failure = catchThrowableOfType(StartFailedException.class, () -> Node.start(config));

        assertThat(failure).hasMessage("rules: 2 errors (expected: none; correct them and start again)");
        assertThat(failure.details())
                .containsExactly(
                        "t:1:9: limits: none (expected: at least one limit)",
                        "t:1:20: limits: none (expected: at least one limit)");
    }

    @Test
    void aBadRedisUriIsRefusedWithoutItsPassword() {
        NodeConfig config = NodeConfig.inProcess(new RulesFrom.Nowhere(), 0);

        assertThatThrownBy(() -> config.withRedis("redis://:secret@[broken"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("redis: \"redis://***@[broken\" (expected: redis://")
                .hasMessageNotContaining("secret");
    }

    @Test
    void refusesInvalidPorts() {
        assertThatThrownBy(() -> NodeConfig.inProcess(new RulesFrom.Nowhere(), 65_536))
                .hasMessage("port: 65536 (expected: 0..65535)");
    }

    @Test
    void withoutRulesEverythingIsAllowed() throws Exception {
        try (RunningNode node = RunningNode.start(NodeConfig.inProcess(new RulesFrom.Nowhere(), 0), Store::redis)) {
            assertThat(node.check(CHECK).body()).contains("\"rule_version\":0").contains("\"matched\":[]");
        }
    }

    @Test
    void anAvailableStoreDecides() throws Exception {
        try (RunningNode node = RunningNode.start(config(), FakeStore.answering())) {
            assertThat(node.get("/health").body())
                    .contains("\"engine\":\"redis\"")
                    .contains("\"degraded\":null");
            assertThat(node.check(CHECK).body())
                    .contains("\"mode\":\"distributed\"")
                    .contains("\"degraded\":null");
            assertThat(node.get("/metrics").body().lines())
                    .contains("rate_limit_mode{mode=\"remote\"} 1.0", "rate_limit_mode{mode=\"closed\"} 0.0")
                    .contains("rate_limit_allowed_total{limit=\"a.0\",mode=\"distributed\",rule=\"a\"} 1.0");
        }
    }

    @Test
    void withoutTheStoreTheNodeStartsDegradedAndSaysSo() throws Exception {
        try (RunningNode node = RunningNode.start(config(), FakeStore.away())) {
            HttpResponse<String> health = node.get("/health");
            assertThat(health.statusCode()).isEqualTo(200);
            assertThat(health.body()).contains("\"degraded\":\"redis-disconnected\"");
            assertThat(node.node.degraded()).contains("redis-disconnected");

            HttpResponse<String> refused = node.check(CHECK);

            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).contains("1");
            assertThat(refused.body()).contains("\"degraded\":\"redis-disconnected\"");
            assertThat(node.get("/metrics").body().lines())
                    .contains("rate_limit_mode{mode=\"remote\"} 0.0", "rate_limit_mode{mode=\"closed\"} 1.0")
                    .contains("rate_limit_mode{mode=\"open\"} 0.0", "rate_limit_mode{mode=\"local\"} 0.0");
        }
    }

    @Test
    void stoppingTurnsHealthTo503FirstAndLetsRequestsInFlightFinish() throws Exception {
        FakeStore store = new FakeStore(true, Clock.system());
        CompletableFuture<Void> graceOver = new CompletableFuture<>();
        Node started = Node.start(config(), (uri, prefix, clock, listener) -> store, graceOver::join, () -> 0);
        try (RunningNode node = RunningNode.of(started)) {
            store.holding = true;
            List<CompletableFuture<HttpResponse<String>>> inFlight = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                inFlight.add(node.checkAsync(CHECK));
            }
            await().until(() -> store.held.size() == 3);

            CompletableFuture<Void> closed = CompletableFuture.runAsync(started::close);
            await().until(() -> node.get("/health").statusCode() == 503);
            assertThat(node.get("/health").body()).contains("\"status\":\"stopping\"");
            graceOver.complete(null);
            await().until(() -> refuses(node));
            assertThat(closed).isNotDone();
            store.letGo();

            for (CompletableFuture<HttpResponse<String>> answer : inFlight) {
                assertThat(answer.join().statusCode()).isEqualTo(200);
            }
            closed.join();
        }
    }

    @Test
    void aChangedFileIsSoonInForceAndABadFileIsCounted() throws Exception {
        Path file = Files.writeString(folder.resolve("rules.yaml"), "rules: []");
        try (RunningNode node = RunningNode.start(NodeConfig.inProcess(new RulesFrom.File(file), 0), Store::redis)) {
            replace(file, "rules: [{ id: closed, limits: [{ rate: 0 }] }]");
            await().atMost(Duration.ofSeconds(60)).until(() -> node.check(CHECK).statusCode() == 429);
            assertThat(node.check(CHECK).body()).contains("\"rule_version\":2");

            replace(file, "rules: nonsense");
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> node.get("/metrics").body().contains("rate_limit_rule_errors_total 1.0"));
            assertThat(node.check(CHECK).statusCode()).isEqualTo(429);
        }
    }

    @Test
    void aRuleFileThatIsBrokenNowIsAFindingUntilItIsRepaired() throws Exception {
        String good = "rules: [{ id: closed, limits: [{ rate: 0 }] }]";
        Path file = Files.writeString(folder.resolve("rules.yaml"), good);
        NodeConfig config = NodeConfig.inProcess(new RulesFrom.File(file), 0);
        for (NodeConfig each : List.of(config, config.withData(folder.resolve("data")))) {
            try (RunningNode node = RunningNode.start(each, Store::redis)) {
                assertThat(node.get("/health").body()).contains("\"findings\":[]");

                replace(file, "rules: [{ id: a }, { id: b }]");
                await().until(() -> node.get("/health")
                        .body()
                        .contains("rules were refused, the last good ones stay in force: " + file
                                + ":1:9: limits: none (expected: at least one limit) (and 1 more)"));
                assertThat(node.get("/health").statusCode()).isEqualTo(200);
                assertThat(node.check(CHECK).statusCode()).isEqualTo(429);

                replace(file, good);
                await().until(() -> node.get("/health").body().contains("\"findings\":[]"));
            }
        }
    }

    @Test
    void withABadFileAtStartTheRulesOfTheLastRunApply() throws Exception {
        Path data = folder.resolve("data");
        Path file = Files.writeString(folder.resolve("rules.yaml"), "rules: [{ id: closed, limits: [{ rate: 0 }] }]");
        NodeConfig config = NodeConfig.inProcess(new RulesFrom.File(file), 0).withData(data);
        try (RunningNode node = RunningNode.start(config, Store::redis)) {
            assertThat(node.check(CHECK).body()).contains("\"rule_version\":1");
        }

        Files.writeString(file, "rules: nonsense");
        try (RunningNode node = RunningNode.start(config, Store::redis)) {
            assertThat(node.check(CHECK).statusCode()).isEqualTo(429);
            assertThat(node.check(CHECK).body()).contains("\"rule_version\":1");
            assertThat(node.get("/health").statusCode()).isEqualTo(200);
            assertThat(node.get("/metrics").body()).contains("rate_limit_rule_errors_total 1.0");

            replace(file, "rules: []");
            await().atMost(Duration.ofSeconds(60)).until(() -> node.check(CHECK).statusCode() == 200);
            assertThat(node.check(CHECK).body()).contains("\"rule_version\":2");
        }
    }

    @Test
    void aBadFileAtStartWithoutKeptRulesFailsTheStart() throws Exception {
        Path file = Files.writeString(folder.resolve("rules.yaml"), "rules: [{ id: a }]");
        Path data = Files.createDirectory(folder.resolve("data"));
        NodeConfig config = NodeConfig.inProcess(new RulesFrom.File(file), 0).withData(data);

        StartFailedException failure = catchThrowableOfType(StartFailedException.class, () -> Node.start(config));
        assertThat(failure).hasMessage("rules: 1 error (expected: none; correct it and start again)");

        Path kept = Files.writeString(data.resolve("kept-rules.json"), "{}");
        failure = catchThrowableOfType(StartFailedException.class, () -> Node.start(config));
        assertThat(failure.details())
                .containsExactly(
                        file + ":1:9: limits: none (expected: at least one limit)",
                        kept + ": document: not a saved rule set (expected: version, digest and rules)");
    }

    @Test
    void aDirectoryOfRulesIsOneRuleSet() throws Exception {
        Path rules = Files.createDirectory(folder.resolve("rules"));
        Files.writeString(rules.resolve("a.yaml"), "rules: [{ id: a, limits: [{ rate: 5 }] }]");
        Files.writeString(rules.resolve("b.json"), "{\"rules\": [{\"id\": \"b\", \"limits\": [{\"rate\": 5}]}]}");
        try (RunningNode node = RunningNode.start(NodeConfig.inProcess(new RulesFrom.File(rules), 0), Store::redis)) {
            assertThat(node.check(CHECK).body()).contains("\"matched\":[\"a\",\"b\"]");
        }
    }

    @Test
    void reloadsUnderLoadNeitherFailARequestNorResetACount() throws Exception {
        String rules = "rules: [{ id: a, limits: [{ algorithm: sliding_log, limit: %d, window: 1h }] }]";
        Path file = Files.writeString(folder.resolve("rules.yaml"), rules.formatted(100));
        try (RunningNode node = RunningNode.start(NodeConfig.inProcess(new RulesFrom.File(file), 0), Store::redis)) {
            int allowed = 0;
            for (int limit = 101; limit <= 103; limit++) {
                replace(file, rules.formatted(limit));
                String version = "\"rule_version\":" + (limit - 99);
                HttpResponse<String> answer;
                do {
                    answer = node.check(CHECK);
                    assertThat(answer.statusCode()).isIn(200, 429);
                    allowed += answer.statusCode() == 200 ? 1 : 0;
                } while (!answer.body().contains(version));
            }
            while (node.check(CHECK).statusCode() == 200) {
                allowed++;
            }
            assertThat(allowed).isEqualTo(103);
        }
    }

    private static NodeConfig config() {
        return NodeConfig.inProcess(new RulesFrom.Text("t", RULES), 0).withRedis("redis://fake");
    }

    private static void replace(Path file, String text) throws Exception {
        Path next = Files.writeString(file.resolveSibling("next"), text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean refuses(RunningNode node) {
        try {
            RunningNode.of(node.node).get("/health");
            return false;
        } catch (java.io.UncheckedIOException e) {
            return e.getCause() instanceof ConnectException;
        }
    }

    /** An in-process store that can be unavailable and can hold back its answers. */
    private static final class FakeStore implements Store, Engine {

        final List<Runnable> held = new CopyOnWriteArrayList<>();
        volatile boolean holding;
        private final boolean there;
        private final LocalEngine counts;

        FakeStore(boolean there, Clock clock) {
            this.there = there;
            this.counts = new LocalEngine(clock);
        }

        static Opener answering() {
            return (uri, prefix, clock, listener) -> new FakeStore(true, clock);
        }

        static Opener away() {
            return (uri, prefix, clock, listener) -> new FakeStore(false, clock);
        }

        void letGo() {
            held.forEach(Runnable::run);
        }

        @Override
        public Engine engine() {
            return this;
        }

        @Override
        public boolean isReady() {
            return there;
        }

        @Override
        public CompletionStage<Void> ready() {
            return there ? CompletableFuture.completedFuture(null) : new CompletableFuture<>();
        }

        @Override
        public StoreState state() {
            return there
                    ? new StoreState(true, "", "", 0)
                    : new StoreState(false, "redis-disconnected", "the connection broke", 0);
        }

        @Override
        public List<String> findings() {
            return List.of();
        }

        @Override
        public String name() {
            return "redis";
        }

        @Override
        public Answer decide(Ask ask) {
            if (!there) {
                return new EngineFailure("redis-disconnected", false);
            }
            if (!holding) {
                return counts.decide(ask);
            }
            CompletableFuture<Outcome> outcome = new CompletableFuture<>();
            held.add(() -> outcome.complete((Outcome) counts.decide(ask)));
            return new PendingOutcome(outcome);
        }

        @Override
        public CompletionStage<Boolean> giveBack(List<Charge> charges) {
            return counts.giveBack(charges);
        }

        @Override
        public CompletionStage<Boolean> renew(Charge charge) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public void close() {}
    }
}
