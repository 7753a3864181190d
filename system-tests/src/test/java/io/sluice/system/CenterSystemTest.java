package io.sluice.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
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
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @TempDir
    Path folder;

    /** The highest version that each node was seen with. */
    private final Map<String, Long> seen = new HashMap<>();

    private String address = "";
    private String token = "";

    @Test
    void everyReleaseReachesEveryNodeAndNoNodeGoesBack() throws Exception {
        RedisServer redis = RedisServer.shared();
        try (SluiceProcess center =
                SluiceProcess.run("center", "--data", path("center"), "--center-port", "0", "--redis", redis.uri())) {
            address = center.awaitText("center +GET +(http://127\\.0\\.0\\.1:\\d+)/");
            Path tokenFile = Path.of(center.awaitText("token +(/\\S+)"));
            token = Files.readString(tokenFile).strip();
            release(1);
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
                        address,
                        "--center-token-file",
                        tokenFile.toString()));
                Await.until("four live nodes", SOON, () -> liveNodes() == 4);
                for (int version = 2; version <= RELEASES; version++) {
                    if (version % 2 == 0) {
                        // The nodes lose their subscriptions, and with them the message about this release.
                        redis.command("CLIENT", "KILL", "TYPE", "pubsub");
                    }
                    if (version == RELEASES / 2) {
                        nodes.remove(0).close();
                    }
                    release(version);
                    if (version == RELEASES / 2 + 1) {
                        nodes.add(SluiceProcess.run(
                                "node", "--api-port", "0", "--data", path("node1"), "--redis", redis.uri()));
                    }
                    look(nodes);
                }
                Await.until("the last release is done by four nodes", SOON, () -> {
                    look(nodes);
                    String rollout = get("/api/rollouts/" + RELEASES);
                    return rollout.contains("\"state\":\"done\"") && rollout.contains("\"applied\":4");
                });
                for (SluiceProcess node : nodes) {
                    assertThat(node.post(CHECK).body()).contains("\"rule_version\":" + RELEASES);
                }

                post("/api/rollback", "{\"to\":1,\"reason\":\"the limit was better\"}", 202);
                Await.until("the rollback is done", SOON, () -> {
                    look(nodes);
                    return get("/api/rollouts/" + (RELEASES + 1)).contains("\"state\":\"done\"");
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
    private void look(List<SluiceProcess> nodes) {
        for (SluiceProcess node : nodes) {
            try {
                String body = node.get("/v1/rules").body();
                rises("asked " + node.port(), Long.parseLong(found("\"version\":(\\d+)", body)));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        Matcher acknowledged = Pattern.compile("\"id\":\"([^\"]+)\",\"kind\".*?\"version\":(\\d+)")
                .matcher(get("/api/nodes"));
        while (acknowledged.find()) {
            rises("acknowledged " + acknowledged.group(1), Long.parseLong(acknowledged.group(2)));
        }
    }

    private void rises(String node, long version) {
        assertThat(version).as(node).isGreaterThanOrEqualTo(seen.getOrDefault(node, 0L));
        seen.put(node, version);
    }

    /** Releases a limit of 100 + version. */
    private void release(int version) {
        String change = post(
                "/api/changes",
                "{\"title\":\"v" + version + "\",\"reason\":\"test\",\"base\":" + (version - 1)
                        + ",\"edits\":[{\"put\":{\"id\":\"login\",\"resource\":\"/login\",\"limits\":[{\"by\":\"ip\",\"limit\":"
                        + (100 + version) + ",\"window\":\"1h\"}]}}]}",
                201);
        String id = found("\"id\":(\\d+)", change);
        String digest = found("\"digest\":\"([0-9a-f]{64})\"}$", change);
        assertThat(post("/api/changes/" + id + "/release", "{\"digest\":\"" + digest + "\"}", 202))
                .contains("\"version\":" + version + ",");
    }

    private int liveNodes() {
        return get("/api/nodes").split("\"live\":true", -1).length - 1;
    }

    private String get(String path) {
        return send(HttpRequest.newBuilder(URI.create(address + path)), 200);
    }

    private String post(String path, String json, int status) {
        return send(
                HttpRequest.newBuilder(URI.create(address + path)).POST(HttpRequest.BodyPublishers.ofString(json)),
                status);
    }

    private String send(HttpRequest.Builder request, int status) {
        try {
            HttpResponse<String> response = HTTP.send(
                    request.header("Authorization", "Bearer " + token).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
            return response.body();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static String found(String pattern, String text) {
        Matcher found = Pattern.compile(pattern).matcher(text);
        assertThat(found.find()).as(pattern + " in " + text).isTrue();
        return found.group(1);
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }
}
