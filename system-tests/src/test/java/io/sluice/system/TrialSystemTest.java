package io.sluice.system;

import static io.sluice.system.CenterCalls.found;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Callers try a version, and somebody adjusts limits at night: a center, two nodes on Redis and one that only knows the center, each
 * in its own process.
 */
final class TrialSystemTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final int USERS = 40;

    @TempDir
    Path folder;

    private CenterCalls calls;
    private final List<SluiceProcess> nodes = new ArrayList<>();

    @Test
    void callersTryAVersionAndAdjustmentsHoldForBothSides() throws Exception {
        RedisServer redis = RedisServer.shared();
        try (SluiceProcess center =
                SluiceProcess.run("center", "--data", path("center"), "--center-port", "0", "--redis", redis.uri())) {
            calls = CenterCalls.of(center);
            calls.release(0, rule(100), "\"all\"");
            nodes.add(SluiceProcess.run("node", "--api-port", "0", "--data", path("n1"), "--redis", redis.uri()));
            nodes.add(SluiceProcess.run("node", "--api-port", "0", "--data", path("n2"), "--redis", redis.uri()));
            nodes.add(SluiceProcess.run(
                    "node",
                    "--api-port",
                    "0",
                    "--data",
                    path("n3"),
                    "--center",
                    calls.address(),
                    "--center-token-file",
                    calls.tokenFile().toString()));
            Await.until("three live nodes", SOON, () -> calls.liveNodes() == 3);

            String rollout = found("\"id\":(\\d+)", calls.release(1, rule(200), "{\"callers\":\"50%\"}"));
            Await.until("every node has both versions", SOON, () -> calls.get("/api/rollouts/" + rollout)
                    .contains("\"applied\":3"));
            Map<String, Long> versions = versions();
            assertThat(new HashSet<>(versions.values())).containsExactlyInAnyOrder(1L, 2L);
            holdsWithoutData(rollout);

            String user = versions.entrySet().stream()
                    .filter(each -> each.getValue() == 2)
                    .findFirst()
                    .orElseThrow()
                    .getKey();
            SluiceProcess node = nodes.get(0);
            assertThat(check(node, user, 190)).contains("\"allowed\":true");
            assertThat(check(node, user, 190)).contains("\"allowed\":false");
            switchAndBack(node, user);
            override(node, user);

            calls.post("/api/rollouts/" + rollout + "/abort", "{\"reason\":\"enough seen\"}", 202);
            Await.until("every node has the old content as a new version", SOON, () -> new HashSet<>(
                            versions().values())
                    .equals(Set.of(3L)));
            assertThat(calls.get("/api/rollouts/" + rollout)).contains("\"state\":\"rolled_back\"");
            assertThat(check(node, "fresh", 1)).contains("\"limit\":100,");
            assertThat(center.stop()).isZero();
        } finally {
            nodes.forEach(SluiceProcess::close);
        }
    }

    private void holdsWithoutData(String rollout) {
        calls.post("/api/rollouts/" + rollout + "/verdict", "{\"automatic\":true}", 200);
        assertThat(calls.get("/api/rollouts/" + rollout)).contains("\"automatic\":true");
    }

    private void switchAndBack(SluiceProcess node, String user) {
        String off = calls.post(
                "/api/switch", "{\"rule\":\"*\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"incident\"}", 201);
        Await.until("it refuses nothing", SOON, () -> check(node, user, 150).contains("\"allowed\":true"));
        assertThat(check(node, user, 150)).contains("\"shadow_refused\":[\"orders.0\"]");
        calls.delete("/api/switch/" + found("\"id\":(\\d+)", off) + "?reason=over");
        Await.until("it refuses again", SOON, () -> check(node, user, 150).contains("\"allowed\":false"));
    }

    private void override(SluiceProcess node, String user) {
        calls.post(
                "/api/overrides",
                "{\"rule\":\"orders\",\"limit\":\"orders.0\",\"caller\":{\"user\":\"" + user
                        + "\"},\"numbers\":{\"limit\":100000},\"in\":\"1h\",\"reason\":\"a big order\"}",
                201);
        Await.until("the caller has more", SOON, () -> check(node, user, 190).contains("\"allowed\":true"));
        assertThat(calls.get("/api/overrides")).doesNotContain(user);
    }

    /** Asks every node for every user. All nodes must give a user the same version. */
    private Map<String, Long> versions() {
        Map<String, Long> versions = new HashMap<>();
        for (SluiceProcess node : nodes) {
            for (int i = 0; i < USERS; i++) {
                String user = "user-" + i;
                long version = Long.parseLong(found("\"rule_version\":(\\d+)", check(node, user, 1)));
                Long before = versions.putIfAbsent(user, version);
                if (before != null && before != version) {
                    // While a change is on its way, nodes may differ.
                    return Map.of(user, -1L);
                }
            }
        }
        return versions;
    }

    private static String check(SluiceProcess node, String user, int permits) {
        try {
            return node.post("{\"attributes\":{\"path\":\"/orders\",\"user\":\"" + user + "\"},\"permits\":" + permits
                            + "}")
                    .body();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static String rule(int limit) {
        return "{\"id\":\"orders\",\"resource\":\"/orders\",\"limits\":[{\"by\":\"user\",\"limit\":" + limit
                + ",\"window\":\"1h\"}]}";
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }
}
