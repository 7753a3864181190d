package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.Center;
import io.sluice.center.CenterSettings;
import io.sluice.node.Node;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Known traffic goes through three nodes on one Redis. One node is restarted in the middle, and so is the center. Then every figure of
 * the API is compared with what was sent, whoever decided it: on a busy machine Redis may miss a deadline.
 */
@Timeout(900)
class TrueFiguresTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String RULES = """
            rules:
              - { id: login, match: { path: /login }, limits: [{ by: ip, algorithm: fixed_window, limit: 3, align: year }] }
              - { id: shop, match: { path: "/shop/**" }, limits: [{ by: [tenant, user], algorithm: fixed_window, limit: 4, align: year }] }
              - { id: closed, match: { path: /closed }, action: deny }
              - { id: shy, shadow: true, match: { path: /login }, limits: [{ algorithm: fixed_window, limit: 5, align: year }] }
            """;

    /** One address of each, so that the masked text tells them apart. */
    private static final List<String> NETWORKS = List.of("192.0.2", "198.51.100", "203.0.113", "10.1.2");

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @TempDir
    Path folder;

    private final Random random = new Random(27);
    private final RedisServer redis = RedisServer.shared();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Map<String, Sums> rules = new TreeMap<>();
    private final Map<String, Sums> nodes = new TreeMap<>();
    private final Map<String, Long> refusedAddresses = new TreeMap<>();
    private final Map<String, Long> refusedOfLogin = new TreeMap<>();
    private final Map<String, Long> refusedUsers = new TreeMap<>();
    private final Map<String, String> refusedRequests = new LinkedHashMap<>();
    private Center center;
    private String token = "";
    private int requests;

    /** What was sent. */
    private static final class Sums {
        long allowed;
        long refused;
        long shadowRefused;

        @Override
        public String toString() {
            return allowed + " allowed, " + refused + " refused, " + shadowRefused + " refused in shadow";
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    @Test
    void everyFigureIsWhatWasSent() throws Exception {
        String from =
                Instant.now().minusSeconds(60).truncatedTo(ChronoUnit.MINUTES).toString();
        startCenter();
        CommandRun.of(
                        "apply",
                        Files.writeString(folder.resolve("rules.yaml"), RULES),
                        "--center",
                        center.address(),
                        "--data",
                        folder.resolve("center"))
                .good();
        List<Node> running = new ArrayList<>();
        for (String name : List.of("one", "two", "three")) {
            running.add(start(name));
        }
        Await.until("three nodes are live", PATIENCE, () -> get("/api/nodes").split("\"live\":true", -1).length == 4);
        send(running, 60);
        running.get(1).close();
        running.set(1, start("two"));
        send(running, 60);
        // The nodes keep what the center does not take.
        URI address = center.address();
        center.close();
        send(running, 60);
        startCenter(address.getPort());
        send(running, 20);

        String range = "from=" + from + "&to="
                + Instant.now().plus(5, ChronoUnit.MINUTES).truncatedTo(ChronoUnit.MINUTES);
        long all = rules.values().stream()
                .mapToLong(each -> each.allowed + each.refused)
                .sum();
        assertThat(all).isEqualTo(requests);
        Await.until("all decisions are counted", PATIENCE, () -> {
            Sums sums = series("step=second&" + range);
            assertThat(sums.allowed + sums.refused).isLessThanOrEqualTo(all);
            return sums.allowed + sums.refused == all;
        });
        rules.forEach((rule, sent) -> {
            if (!rule.isEmpty()) {
                assertThat(series("rule=" + rule + "&step=second&" + range))
                        .as(rule)
                        .hasToString(sent.toString());
                assertThat(series("rule=" + rule + "&step=minute&" + range))
                        .as(rule)
                        .hasToString(sent.toString());
            }
        });
        Map<String, String> ids = ids();
        nodes.forEach((node, sent) -> assertThat(series("node=" + ids.get(node) + "&step=second&" + range))
                .as(node)
                .hasToString(sent.toString()));
        Await.until("all refused callers are known", PATIENCE, () -> top("by=ip&limit=100&" + range)
                .equals(refusedAddresses));
        assertThat(top("by=caller&rule=login&limit=100&" + range)).isEqualTo(refusedOfLogin);
        assertThat(top("by=user&limit=100&" + range)).isEqualTo(refusedUsers);
        assertThat(top("by=tenant&limit=100&" + range)).isEqualTo(Map.of("a****", (long) refusedRequests.size()));
        assertThat(named("/api/top?by=rule&limit=100&" + range, "entries", "refused"))
                .isEqualTo(sums(each -> each.refused));
        assertThat(named("/api/series?rule=*&group=rule&step=minute&" + range, "rules", "refused"))
                .isEqualTo(sums(each -> each.refused));
        assertThat(named("/api/series?rule=*&group=rule&step=minute&" + range, "rules", "allowed"))
                .isEqualTo(sums(each -> each.allowed));
        Await.until(
                "all refusals are in the decisions",
                PATIENCE,
                () -> decisions(range).size() == refusedRequests.size());
        assertThat(decisions(range)).isEqualTo(refusedRequests);
    }

    private void startCenter() throws Exception {
        startCenter(0);
    }

    private void startCenter(int port) throws Exception {
        Path data = folder.resolve("center");
        center = Center.open(CenterSettings.embedded(data).listening("127.0.0.1", port));
        open.add(center);
        token = Files.readString(data.resolve("admin-token")).strip();
    }

    private Node start(String name) throws Exception {
        Node node = Node.start(NodeConfig.inProcess(new RulesFrom.Nowhere(), 0)
                .withCenter(CenterAddress.of(
                        center.address().toString(), folder.resolve("center").resolve("admin-token")))
                .withRedis(redis.uri())
                .withRedisPrefix("truth")
                .withData(folder.resolve(name))
                .withRules(new RulesFrom.Center()));
        open.add(node);
        Await.until(
                "the node has the rules", PATIENCE, () -> node.rules().rules().size() == 4);
        return node;
    }

    /** Sends requests, and notes what came of each. */
    private void send(List<Node> running, int count) throws Exception {
        String[] names = {"one", "two", "three"};
        String[] paths = {"/login", "/shop/a", "/closed", "/elsewhere", "/login", "/shop/b"};
        for (int i = 0; i < count; i++) {
            int at = random.nextInt(3);
            String id = "request-" + ++requests;
            String path = paths[random.nextInt(paths.length)];
            String network = NETWORKS.get(random.nextInt(NETWORKS.size()));
            String ip = network + ".17";
            String user = "user-" + random.nextInt(4);
            HttpResponse<String> answer = HTTP.send(
                    HttpRequest.newBuilder(URI.create(
                                    "http://127.0.0.1:" + running.get(at).apiPort() + "/v1/check"))
                            .header("X-Request-Id", id)
                            .POST(HttpRequest.BodyPublishers.ofString("{\"attributes\":{\"path\":\"" + path
                                    + "\",\"ip\":\"" + ip + "\",\"tenant\":\"acme\",\"user\":\"" + user + "\"}}"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            JsonObject body = JsonObject.parse(answer.body(), 10_000);
            String rule = body.optionalText("rule").orElse("");
            boolean allowed = body.flag("allowed", false);
            note(rules, rule, allowed);
            note(nodes, names[at], allowed);
            if (answer.body().contains("\"shy.0\"")) {
                rules.computeIfAbsent("shy", made -> new Sums()).shadowRefused++;
                nodes.get(names[at]).shadowRefused++;
            }
            if (!allowed) {
                refusedAddresses.merge(network + ".*", 1L, Long::sum);
                refusedUsers.merge(user.charAt(0) + "****" + user.substring(user.length() - 2), 1L, Long::sum);
                if (rule.equals("login")) {
                    refusedOfLogin.merge(network + ".*", 1L, Long::sum);
                }
                refusedRequests.put(id, rule);
            }
        }
    }

    private static void note(Map<String, Sums> sums, String name, boolean allowed) {
        Sums own = sums.computeIfAbsent(name, made -> new Sums());
        own.allowed += allowed ? 1 : 0;
        own.refused += allowed ? 0 : 1;
    }

    private Sums series(String query) {
        Sums sums = new Sums();
        for (JsonObject point : parse(get("/api/series?" + query)).objects("points")) {
            sums.allowed += point.whole("allowed", 0, Long.MAX_VALUE);
            sums.refused += point.whole("refused", 0, Long.MAX_VALUE);
            sums.shadowRefused += point.whole("shadow_refused", 0, Long.MAX_VALUE);
        }
        return sums;
    }

    /** Returns a figure of each rule, without those that have none. */
    private Map<String, Long> named(String path, String list, String figure) {
        Map<String, Long> figures = new TreeMap<>();
        for (JsonObject entry : parse(get(path)).objects(list)) {
            long number = entry.whole(figure, 0, Long.MAX_VALUE);
            if (number > 0 && !entry.text("rule").isEmpty()) {
                figures.put(entry.text("rule"), number);
            }
        }
        return figures;
    }

    /** Returns a figure of each rule that was sent, without those that have none. */
    private Map<String, Long> sums(ToLongFunction<Sums> figure) {
        Map<String, Long> figures = new TreeMap<>();
        rules.forEach((rule, sent) -> {
            if (figure.applyAsLong(sent) > 0 && !rule.isEmpty()) {
                figures.put(rule, figure.applyAsLong(sent));
            }
        });
        return figures;
    }

    /** Returns how often addresses were refused, by the networks that the center may show. */
    private Map<String, Long> top(String query) {
        Map<String, Long> refused = new TreeMap<>();
        for (JsonObject entry : parse(get("/api/top?" + query)).objects("entries")) {
            assertThat(entry.whole("error", 0, Long.MAX_VALUE)).isZero();
            refused.merge(entry.text("caller"), entry.whole("refused", 0, Long.MAX_VALUE), Long::sum);
        }
        return refused;
    }

    /** Returns the rules of all refused requests by the id of the request. */
    private Map<String, String> decisions(String range) {
        Map<String, String> found = new LinkedHashMap<>();
        Optional<String> cursor = Optional.empty();
        do {
            JsonObject page = parse(get("/api/decisions?limit=100&" + range
                    + cursor.map(at -> "&before=" + at).orElse("")));
            for (JsonObject entry : page.objects("entries")) {
                if (!entry.text("decision").equals("allowed")) {
                    found.put(entry.text("request_id"), entry.text("rule_id"));
                }
            }
            cursor = page.optionalText("next");
        } while (cursor.isPresent());
        Map<String, String> ordered = new LinkedHashMap<>();
        refusedRequests.keySet().stream().filter(found::containsKey).forEach(id -> ordered.put(id, found.get(id)));
        assertThat(ordered).hasSameSizeAs(found);
        return ordered;
    }

    /** Returns the ids of the nodes by their folders. */
    private Map<String, String> ids() {
        Map<String, String> ids = new HashMap<>();
        for (String name : nodes.keySet()) {
            try {
                ids.put(
                        name,
                        Files.readString(folder.resolve(name).resolve("node-id"))
                                .strip());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
        return ids;
    }

    private static JsonObject parse(String json) {
        return JsonObject.parse(json, 5_000_000);
    }

    private String get(String path) {
        return send(HttpRequest.newBuilder(URI.create(center.address() + path)));
    }

    private String send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> answer = HTTP.send(
                    request.header("Authorization", "Bearer " + token).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
            return answer.body();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
