package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.node.config.DoorAccess;
import io.sluice.node.config.DoorSettings;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.runtime.Store;
import io.sluice.testkit.redis.RedisServer;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The document describes what the node does: every route, every answer, every field. */
@Timeout(300)
class OpenApiTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String RULES = """
            rules:
              - { id: one, resource: /one, limits: [{ algorithm: sliding_log, limit: 1, window: 1h }] }
              - { id: rate, resource: /rate, limits: [{ by: user, rate: 2/h, burst: 4 }] }
              - { id: held, resource: /held, limits: [{ algorithm: concurrency, limit: 9, ttl: 1m }] }
              - { id: mesh, match: { domain: shop }, limits: [{ by: descriptor.user, limit: 1, window: 1h }] }
              - { id: cost, resource: /cost, limits: [{ limit: 9, window: 1h, cost: { reserve: 3, settle: answer.json.n } }] }
              - { id: banned, match: { ip: 203.0.113.9 }, action: deny }
            """;

    private static RunningNode node;
    private static JsonNode document;

    @BeforeAll
    static void start() throws Exception {
        node = RunningNode.start(
                NodeConfig.inProcess(new RulesFrom.Text("t", RULES), 0).withXRateLimitHeaders(), Store::redis);
        document = JSON.readTree(node.get("/openapi.json").body());
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void describesEveryRouteWithItsMethodAndNoOther() {
        List<String> described = new ArrayList<>();
        document.get("paths").fieldNames().forEachRemaining(described::add);

        assertThat(described).hasSameElementsAs(served());
        for (String path : described) {
            boolean posts = document.get("paths").get(path).has("post");
            HttpResponse<String> other =
                    node.send(node.request(path).method("DELETE", HttpRequest.BodyPublishers.noBody()));
            assertThat(other.statusCode()).isEqualTo(405);
            assertThat(other.headers().firstValue("Allow")).contains(posts ? "POST" : "GET, HEAD");
        }
    }

    /** Reads the paths from the answer to an unknown path. */
    private static List<String> served() {
        String answer = node.get("/nowhere").body();
        String list = answer.substring(answer.indexOf("expected: ") + 10, answer.indexOf(")\""));
        return List.of(list.split(", "));
    }

    @Test
    void describesEveryAnswer() throws Exception {
        Map<String, Set<Integer>> seen = new TreeMap<>();
        String check = "{\"attributes\": {\"path\": \"/%s\", \"user\": \"u\", \"ip\": \"%s\"}, \"permits\": %d}";
        String one = check.formatted("one", "192.0.2.1", 1);
        String denied = check.formatted("one", "203.0.113.9", 1);
        String held = JSON.readTree(
                        node.check(check.formatted("held", "192.0.2.1", 2)).body())
                .get("permit")
                .asText();
        String permit = "{\"permit\": \"" + held + "\"}";
        for (String path : List.of("/v1/check", "/v1/explain")) {
            for (String body : List.of(
                    one,
                    one,
                    denied,
                    check.formatted("rate", "192.0.2.1", 3),
                    check.formatted("rate", "192.0.2.1", 0),
                    check.formatted("rate", "192.0.2.1", 5),
                    check.formatted("held", "192.0.2.1", 1),
                    "{\"attributes\": {}}",
                    "nonsense",
                    "x".repeat(70_000))) {
                answered(seen, path, body);
            }
        }
        answered(seen, "/v1/check/batch", "{\"checks\": [" + String.join(",", one, denied, "{}", "7") + "]}");
        answered(seen, "/v1/check/batch", "{}");
        answered(seen, "/v1/check/batch", "x".repeat(70_000));
        for (String path : List.of("/v1/renew", "/v1/release")) {
            answered(seen, path, permit);
            answered(seen, path, "{\"permit\": \"AQ\"}");
            answered(seen, path, "{}");
            answered(seen, path, "x".repeat(70_000));
        }
        String reserve = "{\"attributes\": {\"path\": \"/%s\"}, \"permits\": 1, \"reserve\": true}";
        answered(seen, "/v1/check", reserve.formatted("cost"));
        answered(seen, "/v1/check", reserve.formatted("held"));
        answered(seen, "/v1/check/batch", "{\"checks\": [" + reserve.formatted("cost") + "]}");
        String reserved = JSON.readTree(node.check(reserve.formatted("cost")).body())
                .get("reservation")
                .asText();
        String settle = "{\"reservation\": \"%s\", \"actual\": {\"cost.0\": %d}}";
        for (String body : List.of(
                settle.formatted(reserved, 1),
                settle.formatted(reserved, 1),
                settle.formatted(reserved, 2),
                settle.formatted("AQ", 1),
                "{}",
                "x".repeat(70_000))) {
            answered(seen, "/v1/settle", body);
        }
        // Too little is left, so the answer has no reservation.
        assertThat(node.check(reserve.formatted("cost")).body()).contains("\"reservation\":null");
        answered(seen, "/v1/check", reserve.formatted("cost"));
        String envoy =
                "{\"domain\": \"shop\", \"descriptors\": [{\"entries\": [{\"key\": \"user\", \"value\": \"u-1\"}]}]}";
        for (String body : List.of(envoy, envoy, "{}", "nonsense", "x".repeat(70_000))) {
            answered(seen, "/json", body);
        }
        for (String path : List.of("/v1/rules", "/health", "/openapi.json", "/metrics")) {
            answered(seen, path, null);
        }
        // Slow bodies, a stopping node, an unavailable store and missing tokens have tests of their own.
        Map<String, Set<Integer>> described = described();
        described.values().forEach(statuses -> statuses.removeAll(List.of(401, 408, 503)));
        assertThat(seen).isEqualTo(described);
    }

    @Test
    void describesTheAnswersToCallersWithoutAToken(@TempDir Path folder) throws Exception {
        Path tokens = Files.writeString(folder.resolve("tokens"), "0123456789abcdef");
        DoorAccess access = new DoorAccess(Optional.of(tokens), Optional.empty());
        NodeConfig config = NodeConfig.inProcess(new RulesFrom.Text("t", RULES), 0)
                .withApi(DoorSettings.onLoopback(0).withAccess(access));
        try (RunningNode closed = RunningNode.start(config, Store::redis)) {
            for (String path : served()) {
                String method = document.get("paths").get(path).fieldNames().next();
                HttpResponse<String> answer = closed.send(closed.request(path)
                        .method(method.toUpperCase(Locale.ROOT), HttpRequest.BodyPublishers.noBody()));
                assertThat(answer.statusCode()).isEqualTo(path.equals("/health") ? 200 : 401);
                conforms(path, method, answer);
            }
        }
    }

    @Test
    void anUnavailableStoreIs503ForPermits() throws Exception {
        String rules =
                "rules: [{ id: a, deadline: 10s, on_failure: closed, limits: [{ algorithm: concurrency, limit: 9, ttl: 1m }] }]";
        try (RedisServer redis = RedisServer.start();
                RunningNode shared = RunningNode.start(
                        NodeConfig.inProcess(new RulesFrom.Text("t", rules), 0).withRedis(redis.uri()), Store::redis)) {
            String held = JSON.readTree(shared.check("{\"attributes\": {}}").body())
                    .get("permit")
                    .asText();
            redis.kill();
            for (String path : List.of("/v1/renew", "/v1/release")) {
                HttpResponse<String> away = shared.send(shared.request(path)
                        .POST(HttpRequest.BodyPublishers.ofString("{\"permit\": \"" + held + "\"}")));
                assertThat(away.statusCode()).isEqualTo(503);
                assertThat(away.headers().firstValue("Retry-After")).contains("1");
                conforms(path, "post", away);
            }
        }
    }

    @Test
    void examplesAreValidRequests() throws Exception {
        for (String path : List.of("/v1/check", "/v1/explain", "/v1/check/batch")) {
            JsonNode request =
                    document.at("/paths/" + path.replace("/", "~1") + "/post/requestBody/content/application~1json");
            new Schemas(document).check(request.get("schema"), request.get("example"), path);
            assertThat(node.send(node.request(path)
                                    .POST(HttpRequest.BodyPublishers.ofString(
                                            request.get("example").toString())))
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private static void answered(Map<String, Set<Integer>> seen, String path, String body) throws Exception {
        HttpResponse<String> answer = body == null
                ? node.get(path)
                : node.send(node.request(path).POST(HttpRequest.BodyPublishers.ofString(body)));
        conforms(path, body == null ? "get" : "post", answer);
        seen.computeIfAbsent(path, p -> new TreeSet<>()).add(answer.statusCode());
    }

    private static void conforms(String path, String method, HttpResponse<String> answer) throws Exception {
        JsonNode response =
                document.at("/paths/" + path.replace("/", "~1") + "/" + method + "/responses/" + answer.statusCode());
        assertThat(response.isMissingNode())
                .as("%s %s answers %d", method, path, answer.statusCode())
                .isFalse();
        List<String> headers = new ArrayList<>();
        response.path("headers").fieldNames().forEachRemaining(headers::add);
        answer.headers().map().keySet().stream()
                .filter(name -> name.toLowerCase(Locale.ROOT).contains("ratelimit"))
                .forEach(name -> assertThat(headers).anyMatch(name::equalsIgnoreCase));
        if (!response.has("content")) {
            assertThat(answer.body()).isEmpty();
            return;
        }
        Map.Entry<String, JsonNode> content =
                response.get("content").properties().iterator().next();
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith(content.getKey());
        if (content.getKey().endsWith("json")) {
            new Schemas(document)
                    .check(
                            content.getValue().get("schema"),
                            JSON.readTree(answer.body()),
                            path + " " + answer.statusCode());
        }
    }

    private static Map<String, Set<Integer>> described() {
        Map<String, Set<Integer>> all = new TreeMap<>();
        document.get("paths")
                .properties()
                .forEach(path -> path.getValue().properties().forEach(method -> {
                    Set<Integer> statuses = all.computeIfAbsent(path.getKey(), p -> new TreeSet<>());
                    method.getValue()
                            .get("responses")
                            .fieldNames()
                            .forEachRemaining(s -> statuses.add(Integer.valueOf(s)));
                }));
        return all;
    }
}
