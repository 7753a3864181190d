package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.rules.redis.RedisFleet;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the center wrote to Redis is erased too, and a subject is never written to it. */
class EraseOnRedisTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final String VALUE = "192.0.2.117";

    @Test
    void redisNoLongerNamesTheSubject(@TempDir Path data) throws Exception {
        try (RedisServer redis = RedisServer.start();
                Center center = Center.open(PreparedCenter.in(data).redis(redis.uri()));
                RedisFleet line = RedisFleet.at(redis.uri())) {
            ApiClient api = ApiClient.of(center);
            api.release("login", 5);
            api.post(
                            "/api/overrides",
                            "{\"rule\":\"login\",\"limit\":\"login.0\",\"caller\":{\"ip\":\"" + VALUE
                                    + "\"},\"numbers\":{\"limit\":500},\"in\":\"1h\",\"reason\":\"x\"}")
                    .expect(201);
            api.release(api.open(1, "login", 6).expect(201), "{\"named\":{\"ip\":[\"" + VALUE + "\"]}}", "")
                    .expect(202);
            Await.until("Redis names it twice", SOON, () -> named(redis) == 2);
            Await.until("the center knows a node", SOON, () -> {
                Optional<String> unused = line.exchange("n1", report().toJson());
                return api.get("/api/nodes/n1").status() == 200;
            });
            ApiClient root = ApiClient.person(center, "root", Grant.of(Role.ADMINISTRATOR));
            Answer erasure = root.post(
                            "/api/erasures", "{\"attribute\":\"ip\",\"value\":\"" + VALUE + "\",\"reason\":\"case\"}")
                    .expect(202);
            assertThat(erasure.json().at("/nodes/0/state").asString()).isEqualTo("cannot_be_asked");
            assertThat(erasure.json().at("/nodes/0/problem").asString()).contains("--center");
            // Nodes refuse a trial whose callers change, so the name is erased when the trial has ended.
            Await.until("Redis names it once", SOON, () -> named(redis) == 1);
            api.post("/api/rollouts/2/abort", "{\"reason\":\"x\"}").expect(202);
            Await.until("Redis does not name it", SOON, () -> named(redis) == 0);
            // There is nobody to wait for.
            Await.until("done", SOON, () -> api.get("/api/erasures/1")
                    .string("state")
                    .equals("done"));
            assertThat(named(redis)).isZero();
        }
    }

    /** Returns how many keys name the subject. */
    private static long named(RedisServer redis) {
        return List.of("rate_limit_config_version", "rate_limit_config_adjustments", "rate_limit_fleet").stream()
                .filter(key -> redis.command("GET", key).toString().contains(VALUE))
                .count();
    }

    private static NodeReport report() {
        return new NodeReport(
                new NodeIdentity("n1", NodeReport.Kind.NODE, "n1:8080", "test", 1),
                1,
                RulesInForce.of(0, "", 0),
                NodeHealth.of(NodeReport.Mode.REMOTE, NodeReport.Breaker.CLOSED));
    }
}
