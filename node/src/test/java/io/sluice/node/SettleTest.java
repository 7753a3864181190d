package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.core.time.ManualClock;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.Store;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.redis.RedisServer;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reservations over HTTP. */
@Timeout(300)
class SettleTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String RULES = """
            rules:
              - id: chat
                resource: /chat
                deadline: 1m
                limits:
                  - { id: requests, by: user, limit: 100, window: 1h }
                  - { id: tokens, by: user, limit: 1000, window: 1h, cost: { reserve: json.max, default: 200, settle: answer.json.n } }
                  - { id: budget, by: user, limit: 9000, window: 1d, cost: { reserve: json.max, default: 200, settle: answer.json.n } }
              - id: brief
                resource: /brief
                deadline: 1m
                limits:
                  - { id: a, limit: 1000, window: 1d, cost: { reserve: 10, settle: answer.json.n, within: 1s } }
                  - { id: b, limit: 1000, window: 1d, cost: { reserve: 10, settle: answer.json.n } }
              - { id: first, resource: /twice, deadline: 1m, limits: [{ id: same, limit: 9, window: 1h }] }
              - { id: second, resource: /twice, deadline: 1m, limits: [{ id: same, limit: 9, window: 1h }] }
              - id: tried
                resource: /tried
                deadline: 1m
                limits:
                  - { id: t, limit: 1000, window: 1d, cost: { reserve: 100, settle: answer.json.n } }
                  - { id: o, limit: 1000, window: 1d, cost: { reserve: 100, settle: answer.json.n } }
                candidate:
                  - { id: t, limit: 900, window: 1d, cost: { reserve: 100, settle: answer.json.n } }
                  - { id: o, limit: 900, window: 1d, cost: { reserve: 100, settle: answer.json.other } }
              - { id: near, resource: /near, mode: local, limits: [{ limit: 9, window: 1h }] }
              - { id: held, resource: /held, limits: [{ algorithm: concurrency, limit: 9, ttl: 1h }] }
            """;

    private RunningNode node;

    @BeforeEach
    void start() throws Exception {
        node = RunningNode.start(config(), Store::redis);
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private static NodeConfig config() {
        return NodeConfig.inProcess(new RulesFrom.Text("t", RULES), 0);
    }

    @Test
    void settlesOnceWithWhatWasUsed() throws Exception {
        String reservation = reserve("u", 500);
        assertThat(remaining("u")).isEqualTo(Map.of("chat.requests", 99L, "chat.tokens", 500L, "chat.budget", 8500L));

        HttpResponse<String> first = settle(reservation, Map.of("chat.tokens", 120L, "chat.budget", 800L));
        assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
        assertThat(first.body())
                .isEqualTo("{\"limits\":["
                        + "{\"id\":\"chat.tokens\",\"reserved\":500,\"actual\":120,\"result\":\"settled\",\"gave_back\":380,\"charged\":0},"
                        + "{\"id\":\"chat.budget\",\"reserved\":500,\"actual\":800,\"result\":\"settled\",\"gave_back\":0,\"charged\":300}"
                        + "]}");
        HttpResponse<String> again = settle(reservation, Map.of("chat.tokens", 120L, "chat.budget", 800L));
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(remaining("u")).isEqualTo(Map.of("chat.requests", 99L, "chat.tokens", 880L, "chat.budget", 8200L));
    }

    @Test
    void aLimitMayBeNamedWithoutItsRuleIfOnlyOneHasThatName() throws Exception {
        String reservation = reserve("u", 500);
        HttpResponse<String> settled = settle(reservation, Map.of("tokens", 120L, "chat.budget", 800L));
        assertThat(settled.statusCode()).as(settled.body()).isEqualTo(200);
        assertThat(results(settled)).isEqualTo(Map.of("chat.tokens", "settled", "chat.budget", "settled"));
        assertThat(remaining("u")).containsEntry("chat.tokens", 880L).containsEntry("chat.budget", 8200L);

        String start = "{\"reservation\": \"" + reservation + "\", \"actual\": ";
        assertThat(detail(start + "{\"tokens\": 120, \"chat.tokens\": 120}}"))
                .isEqualTo("actual: two figures of chat.tokens (expected: one figure for each limit)");
        String both = reservationOf("/twice");
        assertThat(detail("{\"reservation\": \"" + both + "\", \"actual\": {\"same\": 1}}"))
                .isEqualTo("actual: same (expected: limits of the reservation: first.same, second.same)");
    }

    @Test
    void anotherFigureIs409AndChangesNothing() throws Exception {
        String reservation = reserve("u", 500);
        settle(reservation, Map.of("chat.tokens", 120L));

        HttpResponse<String> other = settle(reservation, Map.of("chat.tokens", 121L, "chat.budget", 100L));
        assertThat(other.statusCode()).isEqualTo(409);
        assertThat(other.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(other.body()).contains("\"detail\":\"actual: not the figure", "\"result\":\"conflict\"");
        // Each limit settles on its own, and the answer says so.
        assertThat(results(other)).isEqualTo(Map.of("chat.tokens", "conflict", "chat.budget", "settled"));
        assertThat(remaining("u")).containsEntry("chat.tokens", 880L).containsEntry("chat.budget", 8900L);
    }

    @Test
    void aLimitWithoutAFigureIsSettledLater() throws Exception {
        String reservation = reserve("u", 500);
        assertThat(settle(reservation, Map.of("chat.tokens", 0L)).statusCode()).isEqualTo(200);
        assertThat(remaining("u")).containsEntry("chat.tokens", 1000L).containsEntry("chat.budget", 8500L);
        // With reserve, limits without a cost can be settled, too.
        assertThat(settle(reservation, Map.of("chat.budget", 1L, "chat.requests", 5L))
                        .statusCode())
                .isEqualTo(200);
        assertThat(remaining("u")).isEqualTo(Map.of("chat.requests", 95L, "chat.tokens", 1000L, "chat.budget", 8999L));
    }

    /** The caller does not know the candidate. Without a figure it would count each estimate in full, and seem to refuse too much. */
    @Test
    void aCandidateIsSettledByTheFigureOfItsLimit() throws Exception {
        Map<String, Long> figures = Map.of("t", 7L, "tried.o", 7L);
        String first = reservationOf("/tried");
        HttpResponse<String> settled = settle(first, figures);

        assertThat(settled.statusCode()).as(settled.body()).isEqualTo(200);
        assertThat(results(settled)).isEqualTo(Map.of("tried.t", "settled", "tried.o", "settled"));
        assertThat(settle(first, figures).body()).isEqualTo(settled.body());
        assertThat(remaining(explained("/tried")))
                .isEqualTo(
                        Map.of("tried.t", 993L, "tried.o", 993L, "tried.candidate-t", 893L, "tried.candidate-o", 800L));

        assertThat(settle(reservationOf("/tried"), Map.of("t", 7L, "candidate-t", 20L, "candidate-o", 30L))
                        .statusCode())
                .isEqualTo(200);
        assertThat(remaining(explained("/tried")))
                .isEqualTo(
                        Map.of("tried.t", 986L, "tried.o", 893L, "tried.candidate-t", 873L, "tried.candidate-o", 770L));
    }

    private String reservationOf(String path) throws Exception {
        return JSON.readTree(post("/v1/check", "{\"attributes\": {\"path\": \"" + path + "\"}, \"reserve\": true}")
                        .body())
                .path("reservation")
                .asText();
    }

    private JsonNode explained(String path) throws Exception {
        return JSON.readTree(post("/v1/explain", "{\"attributes\": {\"path\": \"" + path + "\"}}")
                .body());
    }

    @Test
    void usageBeyondTheLimitIsADebt() throws Exception {
        assertThat(settle(reserve("u", 500), Map.of("chat.tokens", 5_000L)).statusCode())
                .isEqualTo(200);
        HttpResponse<String> next = node.check(check("u", 1));
        assertThat(next.statusCode()).isEqualTo(429);
        assertThat(next.body()).contains("\"id\":\"chat.tokens\"").endsWith(",\"reservation\":null}");
    }

    @Test
    void whatIsTooOldIs404AndStands() throws Exception {
        ManualClock clock = QuietClock.at(0);
        try (BareServer server = BareServer.deciding(parsed(), clock)) {
            String reservation = JSON.readTree(
                            server.post("/v1/check", "{\"attributes\": {\"path\": \"/brief\"}, \"reserve\": true}")
                                    .body())
                    .get("reservation")
                    .asText();
            clock.advance(Duration.ofSeconds(2));
            String both = body(reservation, Map.of("brief.a", 1L, "brief.b", 1L));

            HttpResponse<String> late = server.post("/v1/settle", both);
            assertThat(late.statusCode()).isEqualTo(404);
            assertThat(late.body()).contains("\"detail\":\"reservation: unknown or too old");
            assertThat(results(late)).isEqualTo(Map.of("brief.a", "unknown", "brief.b", "settled"));
            assertThat(server.post("/v1/settle", both).body()).isEqualTo(late.body());
            assertThat(server.post("/v1/settle", body(reservation, Map.of("brief.b", 1L)))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(server.post("/v1/settle", body(reservation, Map.of("brief.a", 1L, "brief.b", 2L)))
                            .statusCode())
                    .isEqualTo(409);

            clock.advance(Duration.ofMinutes(5));
            assertThat(server.post("/v1/settle", body(reservation, Map.of("brief.b", 1L)))
                            .statusCode())
                    .isEqualTo(404);
            JsonNode left = JSON.readTree(server.post("/v1/explain", "{\"attributes\": {\"path\": \"/brief\"}}")
                    .body());
            assertThat(remaining(left)).isEqualTo(Map.of("brief.a", 990L, "brief.b", 999L));
        }
    }

    @Test
    void aTextThatWasChangedOrIsNoReservationIs404() throws Exception {
        String reservation = reserve("u", 500);
        Map<String, Long> actual = Map.of("chat.tokens", 0L);
        for (int i = 0; i < reservation.length(); i += 3) {
            String changed = reservation.substring(0, i)
                    + (reservation.charAt(i) == 'A' ? 'B' : 'A')
                    + reservation.substring(i + 1);
            assertThat(settle(changed, actual).statusCode()).as(changed).isEqualTo(404);
        }
        for (String text : List.of("", "x", reservation.substring(1), reservation + "A", "A".repeat(40_000))) {
            assertThat(settle(text, actual).statusCode()).isEqualTo(404);
        }
        assertThat(remaining("u")).containsEntry("chat.tokens", 500L);
        assertThat(settle(reservation, actual).statusCode()).isEqualTo(200);
    }

    @Test
    void permitsAndReservationsAreNotInterchangeable() throws Exception {
        String reservation = reserve("u", 500);
        String permit = JSON.readTree(
                        node.check("{\"attributes\": {\"path\": \"/held\"}}").body())
                .get("permit")
                .asText();
        assertThat(settle(permit, Map.of("held.0", 0L)).statusCode()).isEqualTo(404);
        for (String path : List.of("/v1/release", "/v1/renew")) {
            assertThat(post(path, "{\"permit\": \"" + reservation + "\"}").statusCode())
                    .isEqualTo(404);
        }
        assertThat(post("/v1/release", "{\"permit\": \"" + permit + "\"}").statusCode())
                .isEqualTo(204);
    }

    @Test
    void saysWhatIsWrongWithABody() throws Exception {
        String text = reserve("u", 500);
        String start = "{\"reservation\": \"" + text + "\", \"actual\": ";
        assertThat(detail(start + "{}}")).isEqualTo("actual: empty (expected: the real figure of at least one limit)");
        assertThat(detail("{\"reservation\": \"" + text + "\"}"))
                .isEqualTo("actual: missing (expected: the real figure of at least one limit)");
        assertThat(detail("{\"actual\": {\"chat.tokens\": 1}}"))
                .isEqualTo("reservation: missing (expected: the reservation of a check's answer)");
        assertThat(detail("{\"reservation\": 7, \"actual\": {\"chat.tokens\": 1}}"))
                .isEqualTo("reservation: not text (expected: the reservation of a check's answer)");
        assertThat(detail(start + "7}")).startsWith("actual: 7 (expected: an object such as");
        assertThat(detail(start + "{\"chat.tokens\": -1}}"))
                .isEqualTo("actual.chat.tokens: -1 (expected: a whole number, 0..1000000000)");
        for (String figure : List.of("1.5", "1e3", "\"7\"", "null", "1000000001", "99999999999999999999", "{}")) {
            assertThat(detail(start + "{\"chat.tokens\": " + figure + "}}"))
                    .startsWith("actual.chat.tokens: ")
                    .endsWith(" (expected: a whole number, 0..1000000000)");
        }
        assertThat(detail(start + "{\"chat.tokens\": 1, \"chat.other\": 1}}"))
                .isEqualTo("actual: chat.other (expected: limits of the reservation:"
                        + " chat.requests, chat.tokens, chat.budget)");
        assertThat(detail(start + "{\"chat.tokens\": 1}, \"force\": true}"))
                .isEqualTo("unknown field: force (expected: reservation, actual)");
        assertThat(detail(start + "{\"chat.tokens\": 1, \"chat.tokens\": 2}}")).startsWith("body: not JSON");
        assertThat(detail("{\"attributes\": {}, \"reserve\": 1}", "/v1/check"))
                .isEqualTo("reserve: 1 (expected: true or false)");
        assertThat(remaining("u")).containsEntry("chat.tokens", 500L);
    }

    @Test
    void manyFiguresAndLongBodiesAreRefused() throws Exception {
        String reservation = reserve("u", 500);
        String many = IntStream.range(0, 5_000).mapToObj(i -> "\"" + i + "\":1").collect(Collectors.joining(","));
        assertThat(detail("{\"reservation\": \"" + reservation + "\", \"actual\": {" + many + "}}"))
                .isEqualTo("actual: more than 1000 limits (expected: 1..1000)");
        for (int figures : List.of(100_000, 1_500_000)) {
            String more =
                    IntStream.range(0, figures).mapToObj(i -> "\"" + i + "\":1").collect(Collectors.joining(","));
            assertThat(status("{\"reservation\": \"" + reservation + "\", \"actual\": {" + more + "}}"))
                    .isEqualTo(413);
        }
        assertThat(settle(reservation, Map.of("chat.tokens", 0L)).statusCode()).isEqualTo(200);
    }

    @Test
    void aReservationThatNoTextCanHoldStands() throws Exception {
        String limits = IntStream.range(0, 40)
                .mapToObj(i -> "{ id: l" + i + ", limit: 9, window: 1h, cost: { reserve: 1, settle: answer.json.n } }")
                .collect(Collectors.joining(", "));
        String rules = IntStream.range(0, 10)
                .mapToObj(i -> "{ id: many-" + i + ", limits: [" + limits + "] }")
                .collect(Collectors.joining(", "));
        try (RunningNode many = RunningNode.withRules("rules: [" + rules + "]")) {
            HttpResponse<String> answer = many.check("{\"attributes\": {}, \"reserve\": true}");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).endsWith(",\"reservation\":null}");
            assertThat(many.get("/metrics").body())
                    .contains(
                            "sluice_reservations_unsettled_total{limit=\"many-7.l7\",reason=\"too-long\",rule=\"many-7\"} 1.0");
        }
    }

    @Test
    void eightCallersSettleOnce() throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(8);
        try {
            for (int round = 0; round < 5; round++) {
                String reservation = reserve("u-" + round, 500);
                List<Future<HttpResponse<String>>> answers = new ArrayList<>();
                for (int i = 0; i < 40; i++) {
                    long figure = i % 2;
                    answers.add(callers.submit(() -> settle(reservation, Map.of("chat.tokens", figure))));
                }
                Map<Integer, Long> byStatus = new TreeMap<>();
                for (Future<HttpResponse<String>> answer : answers) {
                    byStatus.merge(answer.get().statusCode(), 1L, Long::sum);
                }
                assertThat(byStatus).isEqualTo(Map.of(200, 20L, 409, 20L));
                assertThat(remaining("u-" + round).get("chat.tokens")).isIn(1000L, 999L);
            }
            assertThat(node.get("/metrics").body())
                    .contains("sluice_settlements_total{limit=\"chat.tokens\",result=\"settled\",rule=\"chat\"} 5.0")
                    .contains("sluice_reservations_open{limit=\"chat.tokens\",rule=\"chat\"} 0.0")
                    .contains("sluice_reservations_open{limit=\"chat.budget\",rule=\"chat\"} 5.0");
        } finally {
            callers.shutdownNow();
        }
    }

    @Test
    void anotherProcessDoesNotKnowWhatThisOneCounts() throws Exception {
        String reservation = reserve("u", 500);
        try (RunningNode other = RunningNode.start(config(), Store::redis)) {
            HttpResponse<String> answer = other.send(other.request("/v1/settle")
                    .POST(HttpRequest.BodyPublishers.ofString(body(reservation, Map.of("chat.tokens", 1L)))));
            assertThat(answer.statusCode()).isEqualTo(404);
        }
    }

    @Test
    void everyNodeOfTheSameStoreSettlesAlsoAfterARestart() throws Exception {
        RedisServer redis = RedisServer.shared();
        NodeConfig config = config().withRedis(redis.uri());
        String user = "restarted-" + System.nanoTime();
        String reservation;
        String near;
        try (RunningNode one = RunningNode.onRedis(config);
                RunningNode two = RunningNode.onRedis(config)) {
            awaitCommonKey(one, two);
            reservation = JSON.readTree(one.check(check(user, 500)).body())
                    .get("reservation")
                    .asText();
            near = JSON.readTree(one.check("{\"attributes\": {\"path\": \"/near\"}, \"reserve\": true}")
                            .body())
                    .get("reservation")
                    .asText();
            assertThat(post(two, body(near, Map.of("near.0", 0L))).statusCode()).isEqualTo(404);
            HttpResponse<String> first = known(two, body(reservation, Map.of("chat.tokens", 120L)));
            assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
            assertThat(known(one, body(reservation, Map.of("chat.tokens", 120L)))
                            .body())
                    .isEqualTo(first.body());
            assertThat(known(one, body(reservation, Map.of("chat.tokens", 121L)))
                            .statusCode())
                    .isEqualTo(409);
        }
        try (RunningNode again = RunningNode.onRedis(config)) {
            String both = body(reservation, Map.of("chat.tokens", 120L, "chat.budget", 800L));
            HttpResponse<String> later =
                    awaiting().until(() -> post(again, both), answer -> answer.statusCode() == 200);
            assertThat(later.body()).contains("\"gave_back\":380", "\"charged\":300");
            // What the node counted itself is gone.
            assertThat(post(again, body(near, Map.of("near.0", 0L))).statusCode())
                    .isEqualTo(404);
            HttpResponse<String> next = again.check(check(user, 880));
            assertThat(next.statusCode()).as(next.body()).isEqualTo(200);
            assertThat(again.check(check(user, 1)).statusCode()).isEqualTo(429);
        }
    }

    @Test
    void anUnavailableStoreIs503AndTheSameRequestMayBeSentAgain() throws Exception {
        try (RedisServer redis = RedisServer.start();
                RunningNode shared = RunningNode.onRedis(config().withRedis(redis.uri()))) {
            String reservation = JSON.readTree(shared.check(check("u", 500)).body())
                    .get("reservation")
                    .asText();
            redis.freeze();
            HttpResponse<String> away = post(shared, body(reservation, Map.of("chat.tokens", 120L)));
            assertThat(away.statusCode()).isEqualTo(503);
            assertThat(away.headers().firstValue("Retry-After")).contains("1");
            assertThat(away.body()).contains("(expected: the same request again later)");
            redis.thaw();
            awaiting().untilAsserted(() -> assertThat(post(shared, body(reservation, Map.of("chat.tokens", 120L)))
                            .body())
                    .contains("\"gave_back\":380"));
        }
    }

    /** A node that has not reached its store cannot tell a reservation of another node from a forged one. */
    @Test
    void aNodeThatDoesNotKnowTheCommonKeyYetSays503() throws Exception {
        String reservation = reserve("u", 500);
        try (RedisServer gone = RedisServer.start()) {
            gone.kill();
            try (RunningNode other = RunningNode.start(config().withRedis(gone.uri()), Store::redis)) {
                HttpResponse<String> answer = post(other, body(reservation, Map.of("chat.tokens", 1L)));
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
                assertThat(answer.headers().firstValue("Retry-After")).contains("1");
                assertThat(answer.body()).contains("does not know the key of the others yet");
            }
        }
    }

    /** Until Redis has told a node the common key, it cannot read the reservations of other nodes. */
    private static void awaitCommonKey(RunningNode one, RunningNode two) {
        awaiting().until(() -> {
            String answer = one.check(check("key-" + UUID.randomUUID(), 1)).body();
            String reservation = JSON.readTree(answer).path("reservation").asText();
            return post(two, body(reservation, Map.of("chat.tokens", 0L))).statusCode() == 200;
        });
    }

    /** Settles again as long as Redis takes longer than a settlement waits. */
    private static HttpResponse<String> known(RunningNode node, String body) {
        return awaiting().until(() -> post(node, body), answer -> answer.statusCode() != 503);
    }

    private static ConditionFactory awaiting() {
        return Awaitility.await().atMost(Duration.ofMinutes(1));
    }

    private static HttpResponse<String> post(RunningNode node, String body) {
        return node.send(node.request("/v1/settle").POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    @Test
    void onlyAnAllowedCheckWithReserveHasAReservation() throws Exception {
        assertThat(node.check("{\"attributes\": {\"path\": \"/chat\", \"user\": \"u\"}}")
                        .body())
                .doesNotContain("reservation");
        assertThat(node.get("/metrics").body())
                .contains(
                        "sluice_reservations_unsettled_total{limit=\"chat.tokens\",reason=\"unasked\",rule=\"chat\"} 1.0");
        for (String body : List.of(
                "{\"attributes\": {\"path\": \"/chat\", \"user\": \"u\"}, \"permits\": 0, \"reserve\": true}",
                "{\"attributes\": {\"path\": \"/other\"}, \"reserve\": true}",
                "{\"attributes\": {\"path\": \"/held\"}, \"reserve\": true}")) {
            HttpResponse<String> answer = node.check(body);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).endsWith(",\"reservation\":null}");
        }
        JsonNode batch =
                JSON.readTree(post("/v1/check/batch", "{\"checks\": [" + check("a", 1) + "," + check("b", 5_000) + "]}")
                        .body());
        String reservation = batch.at("/results/0/reservation").asText();
        assertThat(settle(reservation, Map.of("chat.tokens", 9L)).statusCode()).isEqualTo(200);
        assertThat(batch.at("/results/1/status").asInt()).isEqualTo(429);
        assertThat(batch.at("/results/1/reservation").isNull()).isTrue();
        assertThat(post("/v1/check/batch", "{\"checks\": [{\"attributes\": {\"path\": \"/chat\", \"user\": \"c\"}}]}")
                        .body())
                .doesNotContain("reservation");
        assertThat(node.get("/metrics").body())
                .contains(
                        "sluice_reservations_unsettled_total{limit=\"chat.tokens\",reason=\"unasked\",rule=\"chat\"} 2.0");
    }

    private String reserve(String user, long tokens) throws Exception {
        HttpResponse<String> answer = node.check(check(user, tokens));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body()).get("reservation").asText();
    }

    private static String check(String user, long tokens) {
        return "{\"attributes\": {\"path\": \"/chat\", \"user\": \"" + user + "\", \"json.max\": \"" + tokens
                + "\"}, \"reserve\": true}";
    }

    private HttpResponse<String> settle(String reservation, Map<String, Long> actual) {
        return post("/v1/settle", body(reservation, actual));
    }

    private HttpResponse<String> post(String path, String body) {
        return node.send(node.request(path).POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private static String body(String reservation, Map<String, Long> actual) {
        String figures = actual.entrySet().stream()
                .map(figure -> "\"" + figure.getKey() + "\": " + figure.getValue())
                .collect(Collectors.joining(", "));
        return "{\"reservation\": \"" + reservation + "\", \"actual\": {" + figures + "}}";
    }

    private String detail(String body) throws Exception {
        return detail(body, "/v1/settle");
    }

    private String detail(String body, String path) throws Exception {
        HttpResponse<String> answer = post(path, body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        return JSON.readTree(answer.body()).get("detail").asText();
    }

    /** Returns the status of the answer to a body of which the node reads no more than it takes. */
    private int status(String body) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.node.apiPort())) {
            OutputStream out = socket.getOutputStream();
            out.write(("POST /v1/settle HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.length() + "\r\n\r\n"
                            + body.substring(0, 64 * 1024 + 1))
                    .getBytes(StandardCharsets.US_ASCII));
            out.flush();
            byte[] line = socket.getInputStream().readNBytes(12);
            return Integer.parseInt(new String(line, 9, 3, StandardCharsets.US_ASCII));
        }
    }

    private Map<String, Long> remaining(String user) throws Exception {
        return remaining(
                JSON.readTree(post("/v1/explain", "{\"attributes\": {\"path\": \"/chat\", \"user\": \"" + user + "\"}}")
                        .body()));
    }

    private static Map<String, Long> remaining(JsonNode explained) {
        Map<String, Long> all = new TreeMap<>();
        explained
                .get("limits")
                .forEach(limit ->
                        all.put(limit.get("id").asText(), limit.get("remaining").asLong()));
        return all;
    }

    private static Map<String, String> results(HttpResponse<String> settled) throws Exception {
        Map<String, String> all = new TreeMap<>();
        JSON.readTree(settled.body())
                .get("limits")
                .forEach(limit ->
                        all.put(limit.get("id").asText(), limit.get("result").asText()));
        return all;
    }

    private static RuleSet parsed() {
        return new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("t", RULES)).rules());
    }
}
