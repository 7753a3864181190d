package io.sluice.rules.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.adjust.ShadowSwitch;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.TrialScope;
import io.sluice.rules.source.RuleVet;
import io.sluice.testkit.redis.RedisConnection;
import io.sluice.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisRulePublisherTest {

    private static final String KEY = "0123456789abcdef";

    private static RedisServer redis;
    private static RuleServer server;
    private static RuleLine line;

    private RedisRulePublisher publisher;

    @BeforeAll
    static void start() {
        redis = RedisServer.shared();
        server = RuleServer.at(redis.uri(), Duration.ofMinutes(1));
        line = server.open(Duration.ofMinutes(1));
    }

    @AfterAll
    static void stop() {
        line.close();
        server.close();
    }

    @BeforeEach
    void connect() {
        redis.command("FLUSHALL");
        publisher = RedisRulePublisher.connect(redis.uri());
    }

    @AfterEach
    void close() {
        publisher.close();
    }

    @Test
    void writesWhatNodesAndOtherToolsRead() throws Exception {
        try (RedisConnection other = redis.connect()) {
            other.command("SUBSCRIBE", "rate-limit-config-update");
            Release released = publisher.release(Sets.of(1, 2));
            assertThat(released).isEqualTo(new Release(1, released.digest(), 100, Optional.empty()));
            assertThat(redis.command("GET", "rate_limit_config_version").text()).isEqualTo("1");
            assertThat(redis.command("GET", "rate_limit_config_snapshot:1").text())
                    .startsWith("{\"version\":1,\"digest\":\"" + released.digest() + "\",\"share\":100,\"rules\":[\n");
            assertThat(redis.command("HGETALL", "rate_limit_config:SERVICE:s0").texts())
                    .containsSequence("limitCount", "2")
                    .containsSequence("strategy", "SLIDING_WINDOW")
                    .doesNotContain("document");
            assertThat(other.receive().texts()).containsExactly("message", "rate-limit-config-update", "RELOAD_ALL");
        }
    }

    @Test
    void mirrorsWhatTheFlatFieldsCannotSayAsADocument() throws Exception {
        publisher.release(List.of(
                Sets.rule(
                        "{\"id\":\"a\",\"limits\":[{\"limit\":1,\"window\":\"1s\"},{\"limit\":5,\"window\":\"1m\"}]}"),
                Sets.rule("{\"id\":\"b\",\"limits\":[{\"limit\":7,\"window\":\"1s\"}]}"),
                Sets.rule("{\"id\":\"c\",\"action\":\"deny\",\"match\":{\"ip\":[\"10.0.0.1\",\"10.0.0.2\"]}}")));
        assertThat(redis.command("HGET", "rate_limit_config:GLOBAL:GLOBAL", "document")
                        .text())
                .startsWith("{\"id\":\"a\"");
        assertThat(redis.command("HGET", "rate_limit_config:CUSTOM:rule:b", "limitCount")
                        .text())
                .isEqualTo("7");
        assertThat(redis.command("HGET", "rate_limit_config:CUSTOM:rule:c", "document")
                        .text())
                .contains("deny");
    }

    @Test
    void rulesThatAreTooLargeForAHashAreNotMirroredAndNoDrift() throws Exception {
        String addresses = IntStream.range(0, 20_000)
                .mapToObj(i -> "\"10.0." + i / 256 + "." + i % 256 + "\"")
                .collect(Collectors.joining(","));
        List<Rule> rules = List.of(
                Sets.rule("{\"id\":\"large\",\"action\":\"deny\",\"match\":{\"ip\":[" + addresses + "]}}"),
                Sets.of(1, 1).get(0));
        assertThat(publisher.release(rules).trouble()).isEmpty();
        assertThat(Mirror.drift(line.store(), rules)).isEmpty();
        assertThat(redis.command("KEYS", "rate_limit_config:*").texts())
                .containsExactly("rate_limit_config:SERVICE:s0");
        assertThat(seen().rules()).isEqualTo(rules);
    }

    @Test
    void removesHashesThatAreNotReleased() throws Exception {
        Sets.hash(redis, Sets.flat("old", "USER", "*", 5));
        publisher.release(Sets.of(1, 1));
        assertThat(redis.command("KEYS", "rate_limit_config:*").texts())
                .containsExactly("rate_limit_config:SERVICE:s0");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nodesNeverSeeHalfAReleaseWhereverItStops(boolean lastIsDone) throws Exception {
        for (boolean owned : new boolean[] {true, false}) {
            int steps = 0;
            boolean whole = false;
            while (!whole) {
                redis.command("FLUSHALL");
                begin(owned);
                List<?> before = seen().rules();
                steps++;
                whole = publishedIn(steps, lastIsDone);
                List<?> after = seen().rules();
                assertThat(after).as("after %d steps", steps).isIn(before, Sets.of(2, 5));
                // Leftovers do not hinder the next release.
                assertThat(publisher.release(Sets.of(3, 5)).trouble()).isEmpty();
                assertThat(seen().rules()).isEqualTo(Sets.of(3, 5));
                assertThat(Mirror.drift(line.store(), Sets.of(3, 5))).isEmpty();
            }
            assertThat(steps).isGreaterThan(15);
        }
    }

    private void begin(boolean owned) throws Exception {
        if (owned) {
            publisher.release(Sets.of(1, 8));
        } else {
            for (int i = 0; i < 8; i++) {
                Sets.hash(redis, Sets.flat("r" + i, "SERVICE", "s" + i, 2));
            }
        }
    }

    private static boolean publishedIn(int steps, boolean lastIsDone) throws Exception {
        RuleStore cut = new CutStore(line.store(), steps, lastIsDone);
        try (RedisRulePublisher dying = new RedisRulePublisher(() -> cut, () -> {})) {
            return dying.release(Sets.of(2, 5)).trouble().isEmpty();
        } catch (CutStore.CutException e) {
            return false;
        }
    }

    /** Returns the set that a node starting now would use. */
    private static RuleSet seen() {
        SteppedIntake node = new SteppedIntake(Optional.empty(), RuleVet.NONE, Clock.system());
        node.look(line.store(), true, true);
        assertThat(node.rules().refused()).isEmpty();
        return node.rules().latest();
    }

    @Test
    void recognisesItsReleaseAfterALostAnswer() throws Exception {
        publisher.release(Sets.of(1, 1));
        // Version, snapshot, flip: the answer to the third is lost, and then Redis is available again.
        CutStore cut = new CutStore(line.store(), 3, true);
        boolean[] asked = new boolean[1];
        try (RedisRulePublisher unlucky = new RedisRulePublisher(
                () -> {
                    RuleStore store = asked[0] ? line.store() : cut;
                    asked[0] = true;
                    return store;
                },
                () -> {})) {
            assertThat(unlucky.release(Sets.of(2, 1)).version()).isEqualTo(2);
        }
        assertThat(seen().version()).isEqualTo(2);
    }

    @Test
    void oneOfSeveralConcurrentPublishersWinsEachVersion() throws Exception {
        publisher.release(Sets.of(0, 3));
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<List<Release>>> all = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            int number = thread;
            all.add(threads.submit(() -> {
                List<Release> won = new ArrayList<>();
                try (RedisRulePublisher own = RedisRulePublisher.connect(redis.uri())) {
                    for (int i = 0; i < 15; i++) {
                        try {
                            won.add(own.release(Sets.of(100L * number + i, 3)));
                        } catch (ReleaseConflictException e) {
                            // Another publisher won.
                        }
                    }
                }
                return won;
            }));
        }
        Set<Long> versions = new HashSet<>();
        Map<Long, String> digests = new java.util.HashMap<>();
        int won = 0;
        for (Future<List<Release>> each : all) {
            for (Release released : each.get(120, TimeUnit.SECONDS)) {
                versions.add(released.version());
                digests.put(released.version(), released.digest());
                won++;
            }
        }
        threads.shutdown();
        assertThat(versions).hasSize(won).isNotEmpty();
        RuleSet last = seen();
        assertThat(last.version())
                .isEqualTo(versions.stream().max(Long::compare).orElseThrow());
        assertThat(last.digest()).isEqualTo(digests.get(last.version()));
        publisher.mirror();
        assertThat(Mirror.drift(line.store(), last.rules())).isEmpty();
    }

    @Test
    void theLosingPublisherLeavesTheSnapshotInForce() throws Exception {
        RuleStore meanwhile = MeanwhileStore.before("flip", line.store(), () -> publisher.release(1, Sets.of(1, 2)));
        try (RedisRulePublisher late = new RedisRulePublisher(() -> meanwhile, () -> {})) {
            assertThatThrownBy(() -> late.release(1, Sets.of(1, 2))).isInstanceOf(ReleaseConflictException.class);
        }
        assertThat(seen().rules()).isEqualTo(Sets.of(1, 2));
    }

    @Test
    void rollsBackUnderANewVersion() throws Exception {
        publisher.release(Sets.of(1, 2));
        publisher.release(Sets.of(2, 2));
        assertThat(publisher.rollBack(1).version()).isEqualTo(3);
        assertThat(seen().rules()).isEqualTo(Sets.of(1, 2));
        assertThat(publisher.current().orElseThrow().version()).isEqualTo(3);
    }

    @Test
    void acceptsAVersionOfTheCallerOnlyIfItIsHigher() throws Exception {
        assertThat(publisher.release(40, Sets.of(1, 1)).version()).isEqualTo(40);
        assertThatThrownBy(() -> publisher.release(40, Sets.of(2, 1))).isInstanceOf(ReleaseConflictException.class);
        assertThatThrownBy(() -> publisher.release(39, Sets.of(2, 1))).isInstanceOf(ReleaseConflictException.class);
        assertThat(seen().rules()).isEqualTo(Sets.of(1, 1));
        // A publisher stopped after writing the snapshot. The same release can be repeated, but another one cannot
        // take its version.
        redis.command(
                "SET",
                "rate_limit_config_snapshot:41",
                new String(
                        Snapshots.bytes(new RuleSet(41, Sets.of(2, 1)), 100), java.nio.charset.StandardCharsets.UTF_8));
        assertThatThrownBy(() -> publisher.release(41, Sets.of(3, 1))).isInstanceOf(ReleaseConflictException.class);
        assertThat(publisher.release(41, Sets.of(2, 1)).version()).isEqualTo(41);
        assertThat(seen().rules()).isEqualTo(Sets.of(2, 1));
    }

    @Test
    void keepsSomeSnapshotsAndNotAll() throws Exception {
        for (int i = 0; i < 30; i++) {
            publisher.release(Sets.of(i, 1));
        }
        assertThat(redis.command("KEYS", "rate_limit_config_snapshot:*").texts())
                .hasSize(20)
                .contains("rate_limit_config_snapshot:30", "rate_limit_config_snapshot:11");
        assertThatThrownBy(() -> publisher.rollBack(3))
                .hasMessage("rate_limit_config_snapshot:3: snapshot: missing (expected: the rules of the version in"
                        + " force)");
    }

    private static RuleSet set(long version) {
        return new RuleSet(version, Sets.of(version, 1));
    }

    private static TrialScope nodes(int percent) {
        return new TrialScope.Nodes(percent);
    }

    private static TrialScope callers(String key, int percent) {
        return new TrialScope.Callers(CallerSplit.share("user", key, percent));
    }

    private static TrialScope named(String... values) {
        return new TrialScope.Callers(CallerSplit.named("tenant", KEY, Set.of(values)));
    }

    private static String pointer() {
        return redis.command("GET", "rate_limit_config_version").text();
    }

    @Test
    void givesATrialToMoreNodesAndThenToAll() throws Exception {
        assertThatThrownBy(() -> publisher.trial(set(1), nodes(10))).isInstanceOf(IllegalStateException.class);
        publisher.release(Sets.of(1, 1));
        assertThatThrownBy(() -> publisher.trial(set(1), nodes(10))).isInstanceOf(ReleaseConflictException.class);
        assertThat(publisher.trial(set(2), nodes(10)).version()).isEqualTo(2);
        assertThat(pointer()).isEqualTo("1 trial 2 share 10").isEqualTo(RedisRulePublisher.pointer(1, 2, nodes(10)));
        publisher.trial(set(2), nodes(50));
        assertThatThrownBy(() -> publisher.trial(set(2), nodes(20)))
                .hasMessageStartingWith(
                        "trial: 20 % of the nodes (expected: those of the trial of version 2, 50 % of the nodes, or"
                                + " more");
        // Nodes that have version 2 could not go back to version 1.
        assertThatThrownBy(() -> publisher.trial(set(3), nodes(20))).hasMessageStartingWith("trial: 20 %");
        assertThatThrownBy(() -> publisher.trial(set(3), callers(KEY, 20)))
                .hasMessageStartingWith("trial: 20 % by user");
        assertThatThrownBy(() -> publisher.promote(3)).hasMessage("trial: version 2 (expected: version 3 on trial)");
        publisher.promote(2);
        assertThat(pointer()).isEqualTo("2").isEqualTo(RedisRulePublisher.pointer(2));
        assertThat(publisher.promote(2)).isEqualTo(publisher.current().orElseThrow());
        assertThatThrownBy(() -> publisher.promote(3)).hasMessage("trial: none (expected: version 3 on trial)");
        publisher.trial(set(3), nodes(10));
        assertThat(publisher.rollBack(2).version()).isEqualTo(4);
        assertThat(pointer()).isEqualTo("4");
    }

    @Test
    void givesATrialToMoreCallersAndThenToAll() throws Exception {
        publisher.release(12, Sets.of(1, 1));
        publisher.trial(set(13), callers(KEY, 5));
        assertThat(pointer()).isEqualTo("12 trial 13 callers 5 by user key " + KEY);
        assertThat(publisher.pointer()).contains(RedisRulePublisher.pointer(12, 13, callers(KEY, 5)));
        assertThat(seen().version()).isEqualTo(12);
        publisher.trial(set(13), callers(KEY, 5));
        publisher.trial(set(13), callers(KEY, 50));
        assertThat(pointer()).isEqualTo("12 trial 13 callers 50 by user key " + KEY);
        for (TrialScope other : List.of(callers(KEY, 5), callers("f".repeat(16), 60), nodes(60), named("acme"))) {
            assertThatThrownBy(() -> publisher.trial(set(13), other)).hasMessageContaining("cannot shrink");
        }
        assertThatThrownBy(() -> publisher.trial(new RuleSet(13, Sets.of(99, 1)), callers(KEY, 60)))
                .isInstanceOf(ReleaseConflictException.class);
        assertThat(publisher.promote(13).version()).isEqualTo(13);
        assertThat(seen().rules()).isEqualTo(set(13).rules());
        assertThat(publisher.drift()).isEmpty();
    }

    @Test
    void namesCallersWhateverTheyAreCalled() throws Exception {
        publisher.release(Sets.of(1, 1));
        publisher.trial(set(2), named("acme", "a,b by c", "Ünicode €"));
        assertThat(pointer()).isEqualTo("1 trial 2 named a%2Cb+by+c,acme,%C3%9Cnicode+%E2%82%AC by tenant key " + KEY);
        assertThat(VersionPointer.parse(pointer().getBytes(StandardCharsets.US_ASCII))
                        .orElseThrow()
                        .trial()
                        .orElseThrow()
                        .scope())
                .isEqualTo(named("acme", "a,b by c", "Ünicode €"));
        // A second trial of callers may have any size, because no node leaves the version in force.
        publisher.trial(set(3), named("acme"));
        assertThatThrownBy(() -> publisher.trial(set(3), named("globex"))).hasMessageContaining("cannot shrink");
        publisher.trial(set(3), named("acme", "globex"));
        assertThat(pointer()).isEqualTo("1 trial 3 named acme,globex by tenant key " + KEY);
        assertThatThrownBy(() -> publisher.trial(set(4), named("x".repeat(9_000))))
                .hasMessageContaining("expected: at most 8192");
    }

    @Test
    void adjustsOnceAndTellsNodes() {
        assertThat(publisher.adjustments()).isEmpty();
        Adjustments adjustments = new Adjustments(
                1, List.of(), List.of(new ShadowSwitch("a", Optional.empty(), Instant.parse("2027-01-01T00:00:00Z"))));
        publisher.adjust(adjustments);
        assertThat(publisher.adjustments()).contains(adjustments.toJson());
        publisher.adjust(adjustments);
        assertThatThrownBy(() -> publisher.adjust(Adjustments.NONE))
                .hasMessageContaining("an older one never replaces");
        assertThat(publisher.adjustments()).contains(adjustments.toJson());
        Adjustments ended = new Adjustments(2, List.of(), List.of());
        publisher.adjust(ended);
        assertThat(publisher.adjustments()).contains(ended.toJson());
        redis.command("DEL", "rate_limit_config_adjustments");
        redis.command("LPUSH", "rate_limit_config_adjustments", "x");
        assertThat(publisher.adjustments()).contains("");
    }

    @Test
    void refusesToBuildOnWhatItCannotRead() {
        redis.command("SET", "rate_limit_config_version", "latest\n");
        assertThatThrownBy(() -> publisher.release(Sets.of(1, 1)))
                .hasMessage("rate_limit_config_version: \"latest?\" (expected: a number, such as 12)");
    }

    @Test
    void refusesVersionsAboveTheHighest() {
        redis.command("SET", "rate_limit_config_version", "999999999999999");
        assertThatThrownBy(() -> publisher.release(Sets.of(1, 1)))
                .hasMessage("version: above 999999999999999 (expected: at most that number)");
        assertThat(redis.command("KEYS", "rate_limit_config_snapshot:*").texts())
                .isEmpty();
    }

    @Test
    void doesNotReadTooManyHashes() {
        for (int i = 0; i < 12; i++) {
            Sets.hash(redis, Sets.flat("r" + i, "SERVICE", "s" + i, 2));
        }
        assertThatThrownBy(() -> line.store().keys(RuleStore.HASH, 11))
                .hasMessage("rate_limit_config:*: more than 11 (expected: at most that many rules)");
        assertThat(Mirror.drift(line.store(), List.of())).hasSize(11).endsWith("and others");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis-cluster://u:p%40@[::1]:7000,h2:7001",
                "redis-cluster://[::1]:7000,[::2]:7000/",
                "rediss-cluster://:p@h1,h2?verifyPeer=NONE",
                "redis-sentinel://:p@h1:1,h2:2/0#main",
                "rediss://h"
            })
    void readsTheAddressesThatTheEngineReads(String uri) {
        RuleServer.at(uri, Duration.ofMinutes(1)).close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis-cluster://", "http://h", "redis-cluster://h1:1,,h2:2"})
    void refusesOthers(String uri) {
        assertThatThrownBy(() -> RuleServer.at(uri, Duration.ofMinutes(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theAddressIsNotShown() {
        assertThatThrownBy(() -> RedisRulePublisher.connect("redis://:secret@[broken"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret")
                .hasNoCause();
    }
}
