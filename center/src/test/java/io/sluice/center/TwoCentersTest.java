package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.testkit.Await;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.database.MariaDbServer;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Two centers on one database. */
class TwoCentersTest {

    private static final Duration SOON = Duration.ofMinutes(5);

    @TempDir
    Path data;

    private final RedisServer redis = RedisServer.shared();
    private Center first;
    private Center second;

    @BeforeEach
    void start() throws Exception {
        String db = MariaDbServer.shared().database();
        first = Center.open(
                CenterSettings.embedded(data.resolve("first")).db(db).redis(redis.uri()));
        second = Center.open(
                CenterSettings.embedded(data.resolve("second")).db(db).redis(redis.uri()));
    }

    @AfterEach
    void stop() {
        first.close();
        second.close();
    }

    @Test
    void releasesOfBothAreNumberedOnceAndNoneIsLost() throws Exception {
        List<ApiClient> apis = List.of(ApiClient.of(first), ApiClient.of(second));
        int releases = SeededRandom.scaled(8, 20);
        ExecutorService callers = Executors.newFixedThreadPool(4);
        try {
            List<Future<Long>> versions = IntStream.range(0, releases)
                    .mapToObj(i -> callers.submit(() -> releaseInTheEnd(apis.get(i % 2), "rule" + i)))
                    .toList();
            List<Long> numbers = new ArrayList<>();
            for (Future<Long> version : versions) {
                numbers.add(version.get());
            }
            assertThat(numbers)
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.rangeClosed(1, releases).boxed().toList());
        } finally {
            callers.shutdownNow();
        }
        for (ApiClient api : apis) {
            assertThat(api.get("/api/rules").get("rules")).hasSize(releases);
            assertThat(api.get("/api/versions?limit=100").json()).hasSize(releases);
            assertThat(api.get("/api/changes?state=released&limit=100").json()).hasSize(releases);
        }
        Await.until("Redis has the last version", SOON, () -> redis.command("GET", "rate_limit_config_version")
                .toString()
                .contains(Integer.toString(releases)));
    }

    /** Releases a new rule, however often another release comes first. */
    private static long releaseInTheEnd(ApiClient api, String rule) {
        Answer change = api.open(0, rule, 5).expect(201);
        while (true) {
            Answer released = api.post(
                    "/api/changes/" + change.number("id") + "/release",
                    "{\"digest\":\"" + change.string("digest") + "\"}");
            if (released.status() == 202) {
                return released.number("version");
            }
            released.expect(409);
            change = api.get("/api/changes/" + change.number("id")).expect(200);
        }
    }

    @Test
    void oneLeadsAndTheOtherTakesOver() {
        Await.until("a leader", SOON, () -> leads(first) || leads(second));
        assertThat(leads(first) && leads(second)).isFalse();
        Center leader = leads(first) ? first : second;
        Center other = leader == first ? second : first;
        leader.close();
        Await.until("the other leads", SOON, () -> leads(other));
        assertThat(ApiClient.of(other).release("login", 5)).isEqualTo(1);
        Await.until("Redis has it", SOON, () -> redis.command("GET", "rate_limit_config_version")
                .toString()
                .contains("1"));
    }

    @Test
    void aNodeThatReportsToOneIsKnownToBoth() {
        ApiClient one = ApiClient.of(first);
        ApiClient two = ApiClient.of(second);
        one.release("login", 5);
        FakeNode node = new FakeNode(one, "n1");
        Await.until("known to the second", SOON, () -> {
            node.runs(0);
            return two.get("/api/nodes/n1").status() == 200;
        });
        assertThat(two.release("login", 6)).isEqualTo(2);
        node.runs(0);
        assertThat(two.get("/api/rollouts/2").string("state")).isEqualTo("releasing");
        Await.until("done at both", SOON, () -> {
            node.runs(2);
            return two.get("/api/rollouts/2").string("state").equals("done");
        });
        JsonNode rollout = one.get("/api/rollouts/2").json();
        assertThat(rollout.get("applied").asInt()).isEqualTo(1);
    }

    @Test
    void aScheduleFiresOnce() {
        ApiClient one = ApiClient.of(first);
        ApiClient two = ApiClient.of(second);
        one.release("login", 5);
        Instant begin = Instant.now();
        List<Answer> changes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            changes.add(two.open(1, "rule" + i, 5).expect(201));
        }
        // All of them must be scheduled before the first one fires, however slow the machine is.
        Duration took = Duration.between(begin, Instant.now());
        Instant soon = Instant.now().plusSeconds(2).plus(took.multipliedBy(10));
        List<Long> rollouts = new ArrayList<>();
        for (Answer change : changes) {
            rollouts.add(two.release(change, "\"all\"", ",\"at\":\"" + soon + "\"")
                    .expect(202)
                    .number("id"));
        }
        Await.until("all have fired", SOON, () -> rollouts.stream()
                .noneMatch(id -> one.get("/api/rollouts/" + id).string("state").equals("scheduled")));
        // Each was bound to the rules that it was reviewed with, so the first wins and the others are refused.
        assertThat(one.get("/api/versions").json()).hasSize(2);
        assertThat(rollouts.stream()
                        .filter(id ->
                                two.get("/api/rollouts/" + id).string("state").equals("failed"))
                        .count())
                .isEqualTo(2);
    }

    @Test
    void aTrialOfOneIsPromotedByTheOther() {
        ApiClient one = ApiClient.of(first);
        ApiClient two = ApiClient.of(second);
        one.release("login", 5);
        Answer trial = one.release(one.open(1, "login", 6).expect(201), "{\"callers\":\"5%\"}", "")
                .expect(202);
        Await.until("Redis has it", SOON, () -> redis.command("GET", "rate_limit_config_version")
                .toString()
                .contains("1 trial 2 callers 5 by ip key "));
        two.post("/api/rollouts/" + trial.number("id") + "/promote", "{\"reason\":\"x\"}")
                .expect(202);
        Await.until("Redis has it", SOON, () -> redis.command("GET", "rate_limit_config_version")
                .text()
                .equals("2"));
        Await.until("done", SOON, () -> one.get("/api/rollouts/" + trial.number("id"))
                .string("state")
                .equals("done"));
    }

    private static boolean leads(Center center) {
        return ApiClient.of(center).get("/api/status").get("leader").asBoolean();
    }
}
