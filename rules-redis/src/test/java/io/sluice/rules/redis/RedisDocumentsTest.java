package io.sluice.rules.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.adjust.ShadowSwitch;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.NodeShare;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.snapshot.TrialScope;
import io.sluice.rules.source.RuleFollower;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.redis.FaultProxy;
import io.sluice.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RedisDocumentsTest {

    /** Reaches alarms set by a message or a failure. Regular polls are further away. */
    private static final Duration WITH_MESSAGES = Duration.ofSeconds(1);

    /** Reaches every alarm. */
    private static final Duration WITHOUT = Duration.ofHours(1);

    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.shared();
    }

    private final AlarmClock clock = new AlarmClock();

    /** The clock of a second source. */
    private final AlarmClock otherClock = new AlarmClock();

    @BeforeEach
    void empty() {
        redis.command("FLUSHALL");
    }

    @Test
    void takesFoundingHashesInTheOrderOfTheirKeys() throws Exception {
        Sets.hash(redis, Sets.flat("users", "USER", "*", 7));
        Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 9));
        Sets.hash(
                redis,
                Map.of("limitType", "CUSTOM", "limitTarget", "x", "document", "{\"id\":\"ban\",\"action\":\"deny\"}"));
        try (RuleFollower source = open()) {
            looked(source);
            assertThat(ids(source)).containsExactly("ban", "all", "users");
            assertThat(source.latest().version()).isEqualTo(1);
            assertThat(source.refused()).isEmpty();
            assertThat(source.away()).isEmpty();
        }
    }

    @Test
    void takesAChangeOfAHashWithAndWithoutAMessage() throws Exception {
        Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 9));
        try (RuleFollower source = open()) {
            looked(source);
            Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 8));
            redis.command("PUBLISH", "rate-limit-config-update", "{\"id\":\"all\",\"limitType\":\"GLOBAL\"}");
            within(WITH_MESSAGES, () -> assertThat(capacity(source)).isEqualTo(8));
            Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 7));
            within(WITHOUT, () -> assertThat(capacity(source)).isEqualTo(7));
            redis.command("DEL", "rate_limit_config:GLOBAL:GLOBAL");
            Sets.hash(redis, Sets.flat("users", "USER", "*", 6));
            within(WITHOUT, () -> assertThat(ids(source)).containsExactly("users"));
        }
    }

    @Test
    void findsChangesWithoutNotificationsFromRedis() throws Exception {
        try (RedisServer strict = RedisServer.start()) {
            strict.command("ACL", "SETUSER", "default", "-client|tracking");
            Sets.hash(strict, Sets.flat("all", "GLOBAL", "GLOBAL", 9));
            try (RuleFollower source = open(strict.uri())) {
                looked(source);
                Sets.hash(strict, Sets.flat("users", "USER", "*", 6));
                within(WITHOUT, () -> assertThat(ids(source)).containsExactly("all", "users"));
                strict.command("DEL", "rate_limit_config:GLOBAL:GLOBAL");
                strict.command("PUBLISH", "rate-limit-config-update", "RELOAD_ALL");
                within(WITH_MESSAGES, () -> assertThat(ids(source)).containsExactly("users"));
            }
        }
    }

    @Test
    void refusesHashesWholeAndNamesTheKeys() throws Exception {
        Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 9));
        try (RuleFollower source = open()) {
            looked(source);
            Map<String, String> bad = new HashMap<>(Sets.flat("b", "USER", "*", 1));
            bad.put("strategy", "GUESS");
            Sets.hash(redis, bad);
            Sets.hash(redis, Sets.flat("all", "IP", "*", 1));
            redis.command("SET", "rate_limit_config:note", "hello");
            within(WITHOUT, () -> assertThat(source.refused().stream().map(Object::toString))
                    .hasSize(3)
                    .anyMatch(error ->
                            error.startsWith("rate_limit_config:USER:*: strategy: \"GUESS\" (expected: TOKEN_"))
                    .contains(
                            "rate_limit_config:IP:*: id: all (expected: a different id than in rate_limit_config:GLOBAL:GLOBAL)")
                    .contains("rate_limit_config:note: type: string (expected: a hash)"));
            assertThat(capacity(source)).isEqualTo(9);
            redis.command("DEL", "rate_limit_config:USER:*", "rate_limit_config:IP:*", "rate_limit_config:note");
            within(WITHOUT, () -> assertThat(source.refused()).isEmpty());
            assertThat(source.latest().version()).isEqualTo(1);
        }
    }

    @Test
    void keepsItsRulesWhenRedisHasLostThem() throws Exception {
        Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 9));
        try (RuleFollower source = open()) {
            looked(source);
            redis.command("FLUSHALL");
            within(WITHOUT, () -> assertThat(source.refused().toString()).contains("rules: none"));
            assertThat(ids(source)).containsExactly("all");
        }
    }

    @Test
    void hasNoRulesWhereThereAreNone() throws Exception {
        try (RuleFollower source = open()) {
            looked(source);
            assertThat(source.hasRules()).isFalse();
            assertThat(source.refused()).isEmpty();
            Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 9));
            within(WITHOUT, () -> assertThat(ids(source)).containsExactly("all"));
        }
    }

    @Test
    void doesNotReadWhatIsTooLargeToBeARule() throws Exception {
        Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 9));
        redis.command(
                "EVAL",
                "redis.call('HSET', KEYS[1], 'id', string.rep(string.rep('x', 10000), 2000))",
                "1",
                "rate_limit_config:a");
        redis.command("EVAL", "for i=1,100 do redis.call('HSET', KEYS[1], i, i) end", "1", "rate_limit_config:b");
        try (FaultProxy proxy = FaultProxy.before(redis);
                RuleFollower source = open(proxy.uri())) {
            looked(source);
            assertThat(source.refused().stream().map(Object::toString))
                    .containsExactly(
                            "rate_limit_config:a: size: too large with field \"id\" (expected: at most 262144 bytes in all)",
                            "rate_limit_config:b: fields: 100 (expected: at most 32)");
            assertThat(proxy.bytesToClient()).isLessThan(100_000);
        }
    }

    @Test
    void doesNotReadASnapshotThatIsTooLarge() throws Exception {
        redis.command("SETRANGE", "rate_limit_config_snapshot:1", "200000000", "x");
        redis.command("SET", "rate_limit_config_version", "1");
        try (FaultProxy proxy = FaultProxy.before(redis);
                RuleFollower source = open(proxy.uri())) {
            looked(source);
            assertThat(source.refused().toString())
                    .contains("rate_limit_config_snapshot:1: size: 200000001 bytes (expected: at most 67108864)");
            assertThat(proxy.bytesToClient()).isLessThan(100_000);
        }
    }

    @Test
    void takesReleasesAndReportsForeignWritesWithoutObeyingThem() throws Exception {
        Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 9));
        try (RuleFollower source = open();
                RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            looked(source);
            publisher.release(7, Sets.of(7, 3));
            within(WITH_MESSAGES, () -> assertThat(source.latest().version()).isEqualTo(7));
            assertThat(source.latest().rules()).isEqualTo(Sets.of(7, 3));
            Sets.hash(redis, Sets.flat("mine", "USER", "*", 1));
            redis.command("HSET", "rate_limit_config:SERVICE:s1", "limitCount", "1000000");
            redis.command("PUBLISH", "rate-limit-config-update", "RELOAD_ALL");
            within(WITHOUT, () -> assertThat(source.source().findings())
                    .containsExactly("hashes differ from the released rules: rate_limit_config:SERVICE:s1 was changed,"
                            + " rate_limit_config:USER:* is not released"));
            assertThat(source.latest().rules()).isEqualTo(Sets.of(7, 3));
            publisher.mirror();
            within(WITHOUT, () -> assertThat(source.source().findings()).isEmpty());
        }
    }

    @Test
    void keepsTheReleasedRulesIfTheVersionIsMissingOrOlder() throws Exception {
        try (RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri());
                RuleFollower source = open()) {
            publisher.release(5, Sets.of(5, 1));
            within(WITHOUT, () -> assertThat(source.latest().version()).isEqualTo(5));
            redis.command("SET", "rate_limit_config_version", "4");
            within(WITHOUT, () -> assertThat(source.refused().toString())
                    .contains("version: 4 (expected: 5 or higher"));
            redis.command("DEL", "rate_limit_config_version");
            within(WITHOUT, () -> assertThat(source.refused().toString()).contains("version: missing (expected: 5"));
            assertThat(source.latest().rules()).isEqualTo(Sets.of(5, 1));
            publisher.release(6, Sets.of(6, 1));
            within(WITHOUT, () -> assertThat(source.latest().version()).isEqualTo(6));
            assertThat(source.refused()).isEmpty();
        }
    }

    @Test
    void triesAVersionOnlyOnNodesOfItsShare() throws Exception {
        try (RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            publisher.release(Sets.of(1, 1));
            publisher.trial(new RuleSet(2, Sets.of(2, 1)), new TrialScope.Nodes(30));
            String in = node(30, true);
            String out = node(30, false);
            try (RuleFollower first = open(redis.uri(), in);
                    RuleFollower other = open(redis.uri(), out, otherClock)) {
                looked(first);
                looked(other);
                assertThat(first.latest().version()).isEqualTo(2);
                assertThat(other.latest().version()).isEqualTo(1);
                publisher.promote(2);
                within(WITH_MESSAGES, () -> assertThat(other.latest().version()).isEqualTo(2));
                assertThat(first.latest().version()).isEqualTo(2);
            }
        }
    }

    @Test
    void callersTryAVersionOnEveryNode() throws Exception {
        TrialScope few = new TrialScope.Callers(CallerSplit.share("user", "0123456789abcdef", 5));
        TrialScope many = new TrialScope.Callers(CallerSplit.share("user", "0123456789abcdef", 50));
        try (RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri());
                RuleFollower first = open(redis.uri(), "a");
                RuleFollower other = open(redis.uri(), "b", otherClock)) {
            publisher.release(Sets.of(1, 1));
            publisher.trial(new RuleSet(2, Sets.of(2, 1)), few);
            for (RuleFollower each : List.of(first, other)) {
                within(WITHOUT, () -> assertThat(each.latest().trial()).isNotNull());
                assertThat(each.latest().version()).isEqualTo(1);
                assertThat(each.latest().trial().rules().version()).isEqualTo(2);
            }
            assertThat(first.latest().trial().split())
                    .isEqualTo(other.latest().trial().split());
            publisher.trial(new RuleSet(2, Sets.of(2, 1)), many);
            within(WITH_MESSAGES, () -> assertThat(
                            other.latest().trial().split().sharePercent())
                    .isEqualTo(50));
            publisher.promote(2);
            publisher.trial(new RuleSet(3, Sets.of(3, 1)), few);
            for (RuleFollower each : List.of(first, other)) {
                within(WITH_MESSAGES, () -> assertThat(each.latest().version()).isEqualTo(2));
                within(WITH_MESSAGES, () -> assertThat(each.latest().trial()).isNotNull());
            }
            publisher.rollBack(2);
            for (RuleFollower each : List.of(first, other)) {
                within(WITH_MESSAGES, () -> assertThat(each.latest().version()).isEqualTo(4));
                assertThat(each.latest().trial()).isNull();
                assertThat(each.latest().rules()).isEqualTo(Sets.of(2, 1));
                assertThat(each.refused()).isEmpty();
            }
        }
    }

    @Test
    void adjustmentsReachNodesAndExpireWhileRedisIsAway() throws Exception {
        ShadowSwitch off = new ShadowSwitch(
                "off", Optional.of("r0"), Instant.EPOCH.plusSeconds(clock.epochMicros() / 1_000_000 + 240));
        try (FaultProxy proxy = FaultProxy.before(redis);
                RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri());
                RuleFollower source = open(proxy.uri())) {
            publisher.release(Sets.of(1, 1));
            publisher.adjust(new Adjustments(1, List.of(), List.of(off)));
            within(WITHOUT, () -> assertThat(source.latest().adjustments()).isEqualTo(1));
            assertThat(source.latest().rule("r0").orElseThrow().shadow()).isTrue();
            assertThat(source.adjustments().switches()).containsExactly(off);
            proxy.stopListening();
            proxy.cut();
            // Rings for polls, not for the end of the switch, which is further away.
            within(Duration.ofSeconds(30), () -> assertThat(source.away()).isPresent());
            assertThat(source.latest().rule("r0").orElseThrow().shadow()).isTrue();
            within(WITHOUT, () -> assertThat(
                            source.latest().rule("r0").orElseThrow().shadow())
                    .isFalse());
            assertThat(source.away()).isPresent();
        }
    }

    @Test
    void usesTheVersionInForceIfTheTrialIsBad() throws Exception {
        try (RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            publisher.release(Sets.of(1, 1));
            publisher.trial(new RuleSet(2, Sets.of(2, 1)), new TrialScope.Nodes(30));
            redis.command("SET", "rate_limit_config_snapshot:2", "nonsense");
            try (RuleFollower source = open(redis.uri(), node(30, true))) {
                looked(source);
                assertThat(source.latest().version()).isEqualTo(1);
                assertThat(source.refused().toString()).contains("rate_limit_config_snapshot:2: document: not");
            }
        }
    }

    @Test
    void keepsItsRulesWhileRedisIsUnavailableAndReadsAgainLater() throws Exception {
        Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 9));
        try (FaultProxy proxy = FaultProxy.before(redis);
                RuleFollower source = open(proxy.uri())) {
            looked(source);
            proxy.silence();
            within(WITHOUT, () -> assertThat(source.away()).isPresent());
            assertThat(capacity(source)).isEqualTo(9);
            Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 8));
            proxy.resume();
            proxy.cut();
            within(WITHOUT, () -> assertThat(capacity(source)).isEqualTo(8));
            // It says so after the rules are in force.
            within(WITHOUT, () -> assertThat(source.away()).isEmpty());
        }
    }

    @Test
    void startsWithoutRedisAndFindsItLater() throws Exception {
        try (FaultProxy proxy = FaultProxy.before(redis)) {
            proxy.stopListening();
            try (RuleFollower source = open(proxy.uri())) {
                lookedInVainPerhaps(source);
                assertThat(source.hasRules()).isFalse();
                assertThat(source.away()).isPresent();
                Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 9));
                proxy.resume();
                within(WITHOUT, () -> assertThat(ids(source)).containsExactly("all"));
            }
        }
    }

    @Test
    void obeysTheVet() throws Exception {
        RuleVet vet = rules -> rules.rules().size() > 1 ? List.of(DocumentError.of("rules", "too many")) : List.of();
        Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 9));
        try (RuleFollower source = clock.follow(RedisDocuments.at(redis.uri(), "n", clock), Optional.empty(), vet);
                RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            looked(source);
            Sets.hash(redis, Sets.flat("users", "USER", "*", 6));
            within(WITHOUT, () -> assertThat(source.refused()).containsExactly(DocumentError.of("rules", "too many")));
            assertThat(ids(source)).containsExactly("all");
            publisher.release(Sets.of(1, 1));
            within(WITH_MESSAGES, () -> assertThat(source.latest().rules()).isEqualTo(Sets.of(1, 1)));
            publisher.release(Sets.of(1, 2));
            within(WITH_MESSAGES, () -> assertThat(source.refused()).isNotEmpty());
            assertThat(source.latest().version()).isEqualTo(1);
        }
    }

    @Test
    void numbersHashesOnFromTheLastRun() throws Exception {
        Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 9));
        RuleStamp last;
        try (RuleFollower source = open()) {
            looked(source);
            last = new RuleStamp(41, source.latest().digest());
        }
        try (RuleFollower same =
                clock.follow(RedisDocuments.at(redis.uri(), "n", clock), Optional.of(last), RuleVet.NONE)) {
            looked(same);
            assertThat(same.latest().version()).isEqualTo(41);
        }
        Sets.hash(redis, Sets.flat("all", "GLOBAL", "GLOBAL", 8));
        try (RuleFollower other =
                clock.follow(RedisDocuments.at(redis.uri(), "n", clock), Optional.of(last), RuleVet.NONE)) {
            looked(other);
            assertThat(other.latest().version()).isEqualTo(42);
        }
    }

    /** F18: updates while the node is down, with messages, and with lost messages. The long form has 1,000 restarts. */
    @Test
    void losesNoUpdateOverRestarts() throws Exception {
        int restarts = SeededRandom.scaled(9, 1_000);
        try (RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri());
                RuleServer server = RuleServer.at(redis.uri(), Duration.ofMinutes(1));
                RuleLine line = server.open(Duration.ofMinutes(1))) {
            publisher.release(Sets.of(0, 2));
            for (int i = 2; i <= restarts + 1; i++) {
                if (i % 3 == 0) {
                    publisher.release(Sets.of(i, 2));
                }
                try (RuleFollower source = open()) {
                    looked(source);
                    if (i % 3 == 1) {
                        publisher.release(Sets.of(i, 2));
                    } else if (i % 3 == 2) {
                        line.store().write(i, Snapshots.bytes(new RuleSet(i, Sets.of(i, 2)), 100));
                        line.store()
                                .flip(Integer.toString(i - 1).getBytes(StandardCharsets.US_ASCII), Integer.toString(i));
                    }
                    int version = i;
                    within(
                            i % 3 == 2 ? WITHOUT : WITH_MESSAGES,
                            () -> assertThat(source.latest().version()).isEqualTo(version));
                    assertThat(source.latest().rules()).isEqualTo(Sets.of(i, 2));
                }
            }
        }
    }

    @Test
    void needsNoMorePermissionsThanTheDocumentSays() throws Exception {
        try (RedisServer strict = RedisServer.start()) {
            String node = "on >secret resetchannels &rate-limit-config-update resetkeys ~rate_limit_config* -@all"
                    + " +hello +auth +ping +subscribe +client|tracking +getrange +strlen +scan +eval_ro +evalsha_ro"
                    + " +type +hlen +hkeys +hstrlen +hgetall";
            acl(strict, "node", node);
            acl(strict, "center", node + " +publish +set +eval +get +del +hset +unlink");
            String at = "@127.0.0.1:" + strict.port();
            try (RuleFollower source = open("redis://node:secret" + at);
                    RedisRulePublisher publisher = RedisRulePublisher.connect("redis://center:secret" + at)) {
                Sets.hash(strict, Sets.flat("all", "GLOBAL", "GLOBAL", 9));
                within(WITHOUT, () -> assertThat(ids(source)).containsExactly("all"));
                assertThat(publisher.release(Sets.of(1, 2)).trouble()).isEmpty();
                within(WITH_MESSAGES, () -> assertThat(source.latest().rules()).isEqualTo(Sets.of(1, 2)));
                publisher.trial(
                        new RuleSet(2, Sets.of(2, 2)),
                        new TrialScope.Callers(CallerSplit.share("user", "0123456789abcdef", 5)));
                publisher.adjust(new Adjustments(7, List.of(), List.of()));
                within(WITH_MESSAGES, () -> assertThat(source.latest().adjustments())
                        .isEqualTo(7));
                within(WITH_MESSAGES, () -> assertThat(source.latest().trial()).isNotNull());
                assertThat(source.away()).isEmpty();
            }
            acl(strict, "nobody", "on >secret resetchannels resetkeys -@all +hello +auth +ping");
            try (RuleFollower source = open("redis://nobody:secret" + at)) {
                lookedInVainPerhaps(source);
                within(WITHOUT, () -> assertThat(source.away().orElse(""))
                        .startsWith("NOPERM")
                        .doesNotContain("secret"));
            }
        }
    }

    private static void acl(RedisServer server, String user, String rules) {
        assertThat(server.command(("ACL SETUSER " + user + " " + rules).split(" ", -1))
                        .text())
                .isEqualTo("OK");
    }

    private RuleFollower open() {
        return open(redis.uri());
    }

    private RuleFollower open(String uri) {
        return open(uri, "node");
    }

    private RuleFollower open(String uri, String node) {
        return open(uri, node, clock);
    }

    private static RuleFollower open(String uri, String node, AlarmClock clock) {
        return clock.follow(RedisDocuments.at(uri, node, clock), Optional.empty(), RuleVet.NONE);
    }

    /** Waits for a successful check, even if the machine is slow. */
    private void looked(RuleFollower source) throws Exception {
        lookedInVainPerhaps(source);
        within(WITHOUT, () -> assertThat(source.away()).isEmpty());
    }

    private static void lookedInVainPerhaps(RuleFollower source) throws Exception {
        source.looked().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static String node(int share, boolean within) {
        for (int i = 0; ; i++) {
            if (new NodeShare("node-" + i).isWithin(share) == within) {
                return "node-" + i;
            }
        }
    }

    private static List<String> ids(RuleFollower source) {
        return source.latest().rules().stream().map(Rule::id).toList();
    }

    private static long capacity(RuleFollower source) {
        RuleSet rules = source.latest();
        return rules.rules().get(0).limits().get(0).limit().capacity();
    }

    /**
     * Waits until the assertion holds, while time advances from alarm to alarm as long as the next one is due within this time.
     */
    private void within(Duration alarms, ThrowingRunnable what) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(() -> {
                    try {
                        what.run();
                    } catch (AssertionError notYet) {
                        clock.ring(alarms);
                        otherClock.ring(alarms);
                        throw notYet;
                    }
                });
    }
}
