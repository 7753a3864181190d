package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /v1/check/batch}, {@code /v1/explain} and {@code /v1/rules}. */
@Timeout(300)
class BatchTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static RunningNode node;

    @BeforeAll
    static void start() throws Exception {
        node = RunningNode.withRules("""
                rules:
                  - { id: three, resource: /three, limits: [{ by: user, algorithm: sliding_log, limit: 3, window: 1h }] }
                  - { id: banned, match: { ip: 203.0.113.9 }, action: deny }
                  - { id: found, resource: /found, limits: [{ by: query.user, algorithm: sliding_log, limit: 1, window: 1h }] }
                  - { id: secret, resource: /secret, limits: [{ by: user, privacy: hash, limit: 3, window: 1h }] }
                """);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void everyItemHasItsOwnStatusInOrderAndABadItemIs400() throws Exception {
        String three = "{\"attributes\": {\"path\": \"/three\", \"user\": \"a\"}}";
        String bad = "{\"attributes\": {\"x\": [1, {\"y\": 2}], \"path\": \"/three\"}, \"z\": {}}";
        String denied = "{\"attributes\": {\"ip\": \"203.0.113.9\"}}";
        String looked = three.replace("}}", "}, \"permits\": 0}");
        String greedy = three.replace("}}", "}, \"permits\": 4}");
        HttpResponse<String> answer =
                batch(three, bad, three, "[[]]", denied, "\"x\"", three, greedy, three, looked, "{\"attributes\": {}}");

        assertThat(answer.statusCode()).isEqualTo(200);
        JsonNode results = JSON.readTree(answer.body()).get("results");
        List<Integer> statuses = new ArrayList<>();
        results.forEach(result -> statuses.add(result.get("status").asInt()));
        assertThat(statuses).containsExactly(200, 400, 200, 400, 403, 400, 200, 400, 429, 200, 200);
        assertThat(results.get(1).get("detail").asText())
                .isEqualTo("attributes.x: an array (expected: text, a number or a boolean)");
        assertThat(results.get(7).get("detail").asText()).startsWith("permits: 4 (expected: at most 3");
        assertThat(results.get(8).get("rule").asText()).isEqualTo("three");
        assertThat(results.get(9).get("allowed").asBoolean()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | checks: missing (expected: a list of checks)",
                "[] | body: an array (expected: a JSON object)",
                "{\"checks\": 1} | checks: 1 (expected: a list)",
                "{\"checks\": []} | checks: none (expected: 1..100)",
                "{\"check\": []} | unknown field: check (expected: checks)",
                "{\"checks\": [{\"attributes\": {}} | body: not JSON",
                "{\"checks\": [{\"attributes\": {\"a\": 1, \"a\": 1}}]} | body: not JSON, Duplicate field 'a'",
                "{\"checks\": [{}], \"checks\": [{}]} | body: not JSON, Duplicate field 'checks'",
            })
    void aBodyThatIsNotABatchIs400(String body, String detail) {
        HttpResponse<String> answer = post("/v1/check/batch", body);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("\"detail\":\"" + detail);
    }

    @Test
    void aHundredItemsAreDecidedAndOneMoreIs400() throws Exception {
        String item = "{\"attributes\": {\"path\": \"/three\", \"user\": \"many\"}}";
        List<String> items = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            items.add(item);
        }
        JsonNode results =
                JSON.readTree(batch(items.toArray(String[]::new)).body()).get("results");
        assertThat(results).hasSize(100);
        for (int i = 0; i < 100; i++) {
            assertThat(results.get(i).get("status").asInt()).isEqualTo(i < 3 ? 200 : 429);
        }
        items.add(item);
        assertThat(batch(items.toArray(String[]::new)).body()).contains("checks: more than 100 (expected: 1..100)");
    }

    @Test
    void anExplanationShowsTheStateOfEveryLimitAndConsumesNothing() throws Exception {
        String check = "{\"attributes\": {\"path\": \"/three\", \"user\": \"explained\"}}";
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> answer = post("/v1/explain", check);
            assertThat(answer.statusCode()).isEqualTo(200);
            JsonNode body = JSON.readTree(answer.body());
            assertThat(body.get("remaining").asInt()).isEqualTo(2);
            assertThat(body.get("limits")).hasSize(1);
            assertThat(body.get("limits").get(0).toString())
                    .contains("\"id\":\"three.0\"", "\"used\":0", "\"would_allow\":true", "\"key\":\"user=ex***\"");
        }
        assertThat(post("/v1/explain", check.replace("}}", "}, \"permits\": 4}"))
                        .statusCode())
                .isEqualTo(400);
        assertThat(JSON.readTree(post("/v1/explain", check.replace("{\"path", "{\"ip\": \"203.0.113.9\", \"path"))
                                .body())
                        .get("allowed")
                        .asBoolean())
                .isFalse();
    }

    @Test
    void theQueryOfAPathProvidesAttributes() {
        String check = "{\"attributes\": {\"path\": \"/found?%s\"}}";

        assertThat(node.check(check.formatted("user=a&x=1&x=2")).statusCode()).isEqualTo(200);
        assertThat(node.check(check.formatted("y=&USER=%61#user=b")).statusCode())
                .isEqualTo(429);
        assertThat(node.check(check.formatted("user=b")).statusCode()).isEqualTo(200);
        for (String twice : List.of("user=c&user=d", "user=c&User=c", "user=c&user[]=d", "user=c;user=d")) {
            HttpResponse<String> refused = node.check(check.formatted(twice));
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(refused.body())
                    .contains("more than one value (expected: one)")
                    .doesNotContain("=c");
        }
        assertThat(node.check("{\"attributes\": {\"path\": \"/found?user=b\", \"query.user\": \"given\"}}")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void theRulesInForceAreShownWithVersionAndDigest() throws Exception {
        HttpResponse<String> answer = node.get("/v1/rules");

        assertThat(answer.statusCode()).isEqualTo(200);
        JsonNode body = JSON.readTree(answer.body());
        assertThat(body.get("version").asInt()).isEqualTo(1);
        assertThat(body.get("digest").asText()).isEqualTo(node.node.rules().digest());
        assertThat(body.get("kept").asBoolean()).isFalse();
        assertThat(body.get("rules")).hasSize(4);
        assertThat(body.get("rules").get(0).get("id").asText()).isEqualTo("three");
    }

    private static HttpResponse<String> batch(String... items) {
        return post("/v1/check/batch", "{\"checks\": [" + String.join(", ", items) + "]}");
    }

    private static HttpResponse<String> post(String path, String body) {
        return node.send(node.request(path).POST(HttpRequest.BodyPublishers.ofString(body)));
    }
}
