package io.sluice.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A center, three nodes on Redis and one that only knows the center, each in its own process. Messages are lost and a node is killed
 * meanwhile.
 */
final class CenterSystemTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final int RELEASES = 8;
    private static final String CHECK = "{\"attributes\": {\"path\": \"/login\", \"ip\": \"203.0.113.7\"}}";

    @TempDir
    Path folder;

    /** The highest version that each node was seen with. */
    private final Map<String, Long> seen = new HashMap<>();

    @Test
    void everyReleaseReachesEveryNodeAndNoNodeGoesBack() throws Exception {
        RedisServer redis = RedisServer.shared();
        try (SluiceProcess center =
                SluiceProcess.run("center", "--data", path("center"), "--center-port", "0", "--redis", redis.uri())) {
            CenterCalls calls = CenterCalls.of(center);
            release(calls, 1);
            List<SluiceProcess> nodes = new ArrayList<>();
            try {
                for (int i = 1; i <= 3; i++) {
                    nodes.add(SluiceProcess.run(
                            "node", "--api-port", "0", "--data", path("node" + i), "--redis", redis.uri()));
                }
                nodes.add(SluiceProcess.run(
                        "node",
                        "--api-port",
                        "0",
                        "--data",
                        path("node4"),
                        "--center",
                        calls.address(),
                        "--center-token-file",
                        calls.tokenFile().toString()));
                Await.until("four live nodes", SOON, () -> calls.liveNodes() == 4);
                for (int version = 2; version <= RELEASES; version++) {
                    if (version % 2 == 0) {
                        // The nodes lose their subscriptions, and with them the message about this release.
                        redis.command("CLIENT", "KILL", "TYPE", "pubsub");
                    }
                    if (version == RELEASES / 2) {
                        nodes.remove(0).close();
                    }
                    release(calls, version);
                    if (version == RELEASES / 2 + 1) {
                        nodes.add(SluiceProcess.run(
                                "node", "--api-port", "0", "--data", path("node1"), "--redis", redis.uri()));
                    }
                    look(calls, nodes);
                }
                Await.until("the last release is done by four nodes", SOON, () -> {
                    look(calls, nodes);
                    String rollout = calls.get("/api/rollouts/" + RELEASES);
                    return rollout.contains("\"state\":\"done\"") && rollout.contains("\"applied\":4");
                });
                for (SluiceProcess node : nodes) {
                    assertThat(node.post(CHECK).body()).contains("\"rule_version\":" + RELEASES);
                }

                calls.post("/api/rollback", "{\"to\":1,\"reason\":\"the limit was better\"}", 202);
                Await.until("the rollback is done", SOON, () -> {
                    look(calls, nodes);
                    return calls.get("/api/rollouts/" + (RELEASES + 1)).contains("\"state\":\"done\"");
                });
                for (SluiceProcess node : nodes) {
                    assertThat(node.post(CHECK).body())
                            .contains("\"rule_version\":" + (RELEASES + 1))
                            .contains("\"limit\":101,");
                }
            } finally {
                nodes.forEach(SluiceProcess::close);
            }
            assertThat(center.stop()).isZero();
        }
    }

    /** Asks every node and the center which version is in force. It must not be lower than before. */
    private void look(CenterCalls calls, List<SluiceProcess> nodes) {
        for (SluiceProcess node : nodes) {
            try {
                String body = node.get("/v1/rules").body();
                rises("asked " + node.port(), Long.parseLong(CenterCalls.found("\"version\":(\\d+)", body)));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        Matcher acknowledged = Pattern.compile("\"id\":\"([^\"]+)\",\"kind\".*?\"version\":(\\d+)")
                .matcher(calls.get("/api/nodes"));
        while (acknowledged.find()) {
            rises("acknowledged " + acknowledged.group(1), Long.parseLong(acknowledged.group(2)));
        }
    }

    private void rises(String node, long version) {
        assertThat(version).as(node).isGreaterThanOrEqualTo(seen.getOrDefault(node, 0L));
        seen.put(node, version);
    }

    /** Releases a limit of 100 + version. */
    private static void release(CenterCalls calls, int version) {
        String rule = "{\"id\":\"login\",\"resource\":\"/login\",\"limits\":[{\"by\":\"ip\",\"limit\":"
                + (100 + version) + ",\"window\":\"1h\"}]}";
        assertThat(calls.release(version - 1, rule, "\"all\"")).contains("\"version\":" + version + ",");
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }
}
