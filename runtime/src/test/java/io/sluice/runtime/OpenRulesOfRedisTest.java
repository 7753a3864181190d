package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.time.Clock;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.redis.RedisRulePublisher;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.source.RulesRefusedException;
import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenRulesOfRedisTest {

    private static final String STAND_IN = "the default limit of 50/s per address applies";

    @TempDir
    private Path data;

    private RedisServer redis;
    private CapturedLog log;

    @BeforeEach
    void start() {
        redis = RedisServer.start();
        log = new CapturedLog(OpenRules.class);
    }

    @AfterEach
    void stop() {
        log.close();
        redis.close();
    }

    @Test
    void followsTheHashes() throws Exception {
        hash("users", 7);
        try (OpenRules rules = open(Optional.empty())) {
            until("the rules are in force", () -> ids(rules).equals(List.of("users")));
            until("there is no problem", () -> rules.findings().isEmpty());
            rules.warnIfNone("give a file");
            assertThat(log.lines()).isEmpty();

            hash("users", -7);
            until("the refusal is reported", () -> reports(rules, "rules in Redis were refused: "));
            assertThat(ids(rules)).containsExactly("users");

            hash("callers", 7);
            until("the repaired rules are in force", () -> ids(rules).equals(List.of("callers")));
            until("the refusal is over", () -> rules.findings().isEmpty());
        }
    }

    @Test
    void saysThatThereAreNoRulesInRedis() throws Exception {
        try (OpenRules rules = open(Optional.empty())) {
            until("Redis is read", () -> rules.findings()
                    .equals(List.of("there are no rules: every request is allowed")));
            until("the warning", () -> {
                rules.warnIfNone("give a file");
                return log.lines()
                        .contains("no rules in Redis; every request is allowed. Release rules, write hashes"
                                + " rate_limit_config:*, or give a file");
            });
        }
    }

    @Test
    void otherRulesStandInUntilThereAreRulesInRedis() throws Exception {
        try (OpenRules rules = open(Optional.of(data)).orElse(one("stand-in"), STAND_IN)) {
            assertThat(ids(rules)).containsExactly("stand-in");
            assertThat(rules.standIn()).contains(STAND_IN);
            until("Redis is read", () -> rules.findings().equals(List.of("there are no rules: " + STAND_IN)));

            hash("users", 7);
            until("the rules are in force", () -> ids(rules).equals(List.of("users")));
            until(
                    "nothing stands in",
                    () -> rules.standIn().isEmpty() && rules.findings().isEmpty());
        }
    }

    @Test
    void refusesBadRulesAtOnceIfThereAreNoneOfTheLastRun() {
        hash("users", -7);
        // On a busy machine Redis may not be reached in time. Then the start continues without rules.
        until("the rules are refused", () -> {
            try {
                open(Optional.of(data)).close();
                return false;
            } catch (RulesRefusedException e) {
                return e.errors().toString().contains("limitCount");
            }
        });
    }

    /** A center repairs it within seconds. On a machine that is busier than that, the node is started again. */
    @Test
    void waitsForTheRepairOfADamagedRelease() throws Exception {
        try (RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            var unused = publisher.release(List.of());
        }
        until("the node starts", () -> {
            redis.command("SET", "rate_limit_config_version", "latest");
            CompletableFuture<OpenRules> opening = CompletableFuture.supplyAsync(() -> {
                try {
                    return open(Optional.empty());
                } catch (RulesRefusedException e) {
                    throw new CompletionException(e);
                }
            });
            until(
                    "the node looks",
                    () -> redis.command("PUBSUB", "NUMSUB", "rate-limit-config-update")
                                    .toString()
                                    .contains("1")
                            || opening.isDone());
            redis.command("SET", "rate_limit_config_version", "1");
            try (OpenRules rules = opening.join()) {
                return rules.source().latest().version() == 1;
            } catch (CompletionException e) {
                return false;
            }
        });
    }

    @Test
    void startsWithTheRulesOfTheLastRunWhileRedisIsUnavailable() throws Exception {
        keep();
        redis.kill();
        try (OpenRules rules = open(Optional.of(data)).warnIfNone("give a file")) {
            assertThat(ids(rules)).containsExactly("users");
            assertThat(rules.isKept()).isTrue();
            assertThat(log.lines()).isEmpty();
            until("the outage is reported", () -> reports(rules, "rules cannot be read from Redis: "));

            redis.restart();
            until("the outage is over", () -> rules.findings().isEmpty());
            assertThat(rules.isKept()).isTrue();
            assertThat(ids(rules)).containsExactly("users");

            hash("callers", 7);
            until("the new rules are in force", () -> ids(rules).equals(List.of("callers")));
            assertThat(rules.isKept()).isFalse();
        }
    }

    @Test
    void startsWithTheRulesOfTheLastRunIfThoseInRedisAreBad() throws Exception {
        keep();
        hash("users", -7);
        try (OpenRules rules = open(Optional.of(data))) {
            until("the refusal is reported", () -> reports(rules, "rules in Redis were refused: "));
            assertThat(rules.isKept()).isTrue();
            assertThat(ids(rules)).containsExactly("users");
        }
    }

    @Test
    void startsWithoutRulesIfRedisIsUnavailableAndThereAreNoneOfTheLastRun() throws Exception {
        redis.kill();
        try (OpenRules rules = open(Optional.of(data)).warnIfNone("give a file")) {
            assertThat(ids(rules)).isEmpty();
            assertThat(rules.isKept()).isFalse();
            until("both problems are reported", () -> rules.findings().size() == 2);
            assertThat(rules.findings())
                    .anyMatch(finding -> finding.startsWith("rules cannot be read from Redis: "))
                    .contains("there are no rules: every request is allowed");
            assertThat(log.lines()).singleElement().asString().startsWith("no rules");
        }
    }

    @Test
    void reportsHashesThatDifferFromTheReleasedRules() throws Exception {
        try (RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            assertThat(publisher.release(one("released").rules()).trouble()).isEmpty();
        }
        try (OpenRules rules = open(Optional.empty())) {
            until("the released rules are in force", () -> ids(rules).equals(List.of("released")));
            hash("foreign", 7);
            until(
                    "the difference is reported",
                    () -> reports(rules, "hashes differ from the released rules: rate_limit_config:USER:*"));
            assertThat(ids(rules)).containsExactly("released");
        }
    }

    @Test
    void refusesAnAddressThatCannotBeRead() {
        assertThatThrownBy(() ->
                        OpenRules.ofRedis("http://127.0.0.1:1", "n", Optional.of(data), RuleVet.NONE, Clock.system()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** On a busy machine Redis may be out of reach for a moment; that is reported too. */
    private static boolean reports(OpenRules rules, String start) {
        List<String> findings = rules.findings();
        return findings.size() == 1 && findings.get(0).startsWith(start);
    }

    private OpenRules open(Optional<Path> kept) throws RulesRefusedException {
        return OpenRules.ofRedis(redis.uri(), "node-1", kept, RuleVet.NONE, Clock.system());
    }

    /** Runs once with rules, so that they are kept. */
    private void keep() throws Exception {
        hash("users", 7);
        try (OpenRules rules = open(Optional.of(data))) {
            until("the rules are kept", () -> Files.exists(data.resolve("kept-rules.json")));
            assertThat(ids(rules)).containsExactly("users");
        }
    }

    private void hash(String id, long count) {
        redis.command(
                "HSET",
                "rate_limit_config:USER:*",
                "id",
                id,
                "limitType",
                "USER",
                "limitTarget",
                "*",
                "limitCount",
                Long.toString(count),
                "timeWindow",
                "60",
                "strategy",
                "SLIDING_WINDOW");
    }

    private static List<String> ids(OpenRules rules) {
        return rules.source().latest().rules().stream().map(rule -> rule.id()).toList();
    }

    private static RuleSet one(String id) {
        RuleDocument document =
                RuleDocument.parse("t", "rules: [{ id: " + id + ", limits: [{ limit: 1, window: 1m }] }]");
        return new RuleSet(1, ((RuleDocument.Accepted) document).rules());
    }

    private static void until(String what, BooleanSupplier condition) {
        Await.until(what, Duration.ofMinutes(1), condition);
    }
}
