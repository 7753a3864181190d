package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.testkit.Await;
import io.sluice.testkit.database.MariaDbServer;
import io.sluice.testkit.redis.FaultProxy;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two centers on one database and one Redis. The connections of the first one break. */
@Tag("long")
class TwoCentersFaultTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final Pattern REVISION = Pattern.compile("\"revision\":(\\d+)");
    private static final String SWITCH = "{\"rule\":\"%s\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"test\"}";

    @TempDir
    Path data;

    private final RedisServer redis = RedisServer.shared();
    private final FaultProxy toRedis = FaultProxy.before(redis);
    private FaultProxy toDatabase;
    private Center first;
    private Center second;
    private ApiClient one;
    private ApiClient two;
    private long revision;
    private long version;

    @BeforeEach
    void start() throws Exception {
        MariaDbServer server = MariaDbServer.shared();
        toDatabase = FaultProxy.before(server);
        String db = server.database();
        String proxied = db.replace(":" + server.port() + "/", ":" + toDatabase.port() + "/");
        first = Center.open(
                CenterSettings.embedded(data.resolve("first")).db(proxied).redis(toRedis.uri()));
        one = ApiClient.of(first);
        Await.until("the first one leads", SOON, () -> leads(one));
        second = Center.open(
                CenterSettings.embedded(data.resolve("second")).db(db).redis(redis.uri()));
        two = ApiClient.of(second);
        one.release("login", 5);
    }

    @AfterEach
    void stop() {
        toRedis.resume();
        first.close();
        second.close();
        toRedis.close();
        toDatabase.close();
    }

    @Test
    void anOldWriteThatArrivesAfterTheTakeoverChangesNothing() {
        // With the mirror, so that no other write is under way.
        until("Redis has the release", () -> inRedis(one) == 1);
        toRedis.hold("EVAL", "SET");
        one.post("/api/switch", SWITCH.formatted("login")).expect(201);
        until("the write of the first one stands still", () -> toRedis.holding() > 0 && isAdjusting());
        disconnect();
        until("the second one leads", () -> leads(two));
        two.post("/api/switch", SWITCH.formatted("*")).expect(201);
        two.release("login", 6);
        until("the second one has published", () -> revision == 2 && version == 2);

        toRedis.resume();
        toDatabase.listen();
        until("the first one was refused", () -> {
            Answer status = one.get("/api/status");
            return status.status() == 200
                    && !status.get("leader").asBoolean()
                    && status.get("problems").isEmpty()
                    && inRedis(one) == 0;
        });
        assertThat(revision).isEqualTo(2);
        assertThat(version).isEqualTo(2);
        assertThat(two.get("/api/switch").json()).hasSize(2);
    }

    @Test
    void aChangeWhoseConfirmationWasLostIsAnsweredByBothCenters() {
        Answer change = one.open(1, "login", 6).expect(201);
        ApiClient keyed = one.with("Idempotency-Key", "two-centers-release");
        toDatabase.loseAnswerTo(() -> {}, "INSERT INTO rule_version", "COMMIT");
        Answer released = keyed.release(change, "\"all\"", "").expect(202);
        assertThat(toDatabase.severed()).isEqualTo(1);
        assertThat(released.number("version")).isEqualTo(2);
        assertThat(keyed.release(change, "\"all\"", "")).isEqualTo(released);
        assertThat(two.with("Idempotency-Key", "two-centers-release").release(change, "\"all\"", ""))
                .isEqualTo(released);
        until("Redis has it", () -> version == 2);
        assertThat(two.get("/api/versions").json()).hasSize(2);
    }

    @Test
    void aChangeWhoseOutcomeIsUnknownToOneCenterIsAnsweredByTheOther() {
        toDatabase.loseAnswerTo(this::disconnect, "INSERT INTO command", "COMMIT");
        Answer unknown = one.with("Idempotency-Key", "two-centers-switch")
                .post("/api/switch", SWITCH.formatted("login"))
                .expect(503);
        assertThat(unknown.string("outcome")).isEqualTo("unknown");
        Answer repeated = two.with("Idempotency-Key", "two-centers-switch")
                .post("/api/switch", SWITCH.formatted("login"))
                .expect(409);
        assertThat(repeated.string("detail")).contains("was carried out as command");
        assertThat(two.get("/api/switch").json()).hasSize(1);
        toDatabase.listen();
        until("the first one has it", () -> one.get("/api/switch").status() == 200);
        assertThat(one.get("/api/switch").json()).hasSize(1);
    }

    private void disconnect() {
        toDatabase.stopListening();
        toDatabase.cut();
    }

    /** Waits for something. Meanwhile neither the revision nor the version in Redis ever falls. */
    private void until(String what, BooleanSupplier isTrue) {
        Await.until(what, SOON, () -> {
            long nowRevision =
                    number(redis.command("GET", "rate_limit_config_adjustments").toString(), REVISION);
            assertThat(nowRevision).isGreaterThanOrEqualTo(revision);
            revision = nowRevision;
            long nowVersion = number(
                    redis.command("GET", "rate_limit_config_version").toString(), Pattern.compile("text=(\\d+)"));
            assertThat(nowVersion).isGreaterThanOrEqualTo(version);
            version = nowVersion;
            return isTrue.getAsBoolean();
        });
    }

    private static long number(String text, Pattern pattern) {
        Matcher found = pattern.matcher(text);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    /** Returns the version that a center has published and found in Redis; 0 if it may not write. */
    private static long inRedis(ApiClient center) {
        return center.get("/api/status").get("redis").get("version").asLong();
    }

    private static boolean leads(ApiClient center) {
        return center.get("/api/status").get("leader").asBoolean();
    }

    /** Returns whether a thread waits for the answer to its write of adjustments. Reports of the fleet may stand still as well. */
    private static boolean isAdjusting() {
        return Thread.getAllStackTraces().values().stream()
                .map(stack -> Arrays.stream(stack)
                        .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                        .toList())
                .anyMatch(stack -> stack.contains("io.sluice.rules.redis.Upkeep.adjust")
                        && stack.contains("io.sluice.rules.redis.ClaimedWrites.write"));
    }
}
