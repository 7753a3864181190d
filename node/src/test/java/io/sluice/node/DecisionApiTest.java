package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.node.gateway.RawClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class DecisionApiTest {

    private static RunningNode node;

    @BeforeAll
    static void start() throws Exception {
        node = RunningNode.withRules("""
                rules:
                  - { id: login, resource: /login, limits: [{ by: ip, algorithm: sliding_log, limit: 1, window: 1h }] }
                  - { id: bucket, resource: /bucket, limits: [{ by: user, rate: 2/h, burst: 4 }] }
                  - { id: queue, resource: /queue, limits: [{ algorithm: leaky_bucket, rate: 1/h, capacity: 3 }] }
                  - { id: ten, resource: /ten, limits: [{ by: user, algorithm: sliding_log, limit: 10, window: 1h }] }
                  - { id: never, resource: /never, limits: [{ rate: 0 }] }
                  - { id: shared, resource: /both, limits: [{ algorithm: sliding_log, limit: 3, window: 1h }] }
                  - { id: own, resource: /both, limits: [{ by: user, algorithm: sliding_log, limit: 1, window: 1h }] }
                """);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void answersWithEveryFieldWhenRefused() {
        String body = "{\"attributes\": {\"path\": \"/login\", \"ip\": \"203.0.113.7\"}, \"permits\": 1}";
        assertThat(node.check(body).statusCode()).isEqualTo(200);

        HttpResponse<String> refused = node.check(body);

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(refused.headers().firstValue("RateLimit-Policy")).contains("\"login.0\";q=1;w=3600");
        // Some time of the hour may have passed on a slow machine.
        long retryAfter = refused.headers().firstValueAsLong("Retry-After").orElseThrow();
        assertThat(retryAfter).isBetween(1L, 3_600L);
        assertThat(refused.headers().firstValue("RateLimit")).contains("\"login.0\";r=0;t=" + retryAfter);
        assertThat(refused.body())
                .matches("\\{\"allowed\":false,\"rule\":\"login\",\"limit\":\\{\"id\":\"login.0\","
                        + "\"algorithm\":\"sliding_log\",\"limit\":1,\"window_ms\":3600000,\"by\":\\[\"ip\"]},"
                        + "\"remaining\":0,\"retry_after_ms\":(3[0-5]\\d{5}|3600000),"
                        + "\"reset_after_ms\":(3[0-5]\\d{5}|3600000),\"wait_ms\":0,\"mode\":\"local\","
                        + "\"degraded\":null,\"rule_version\":1,\"matched\":\\[\"login\"],\"shadow_refused\":\\[],"
                        + "\"permits\":1,\"permit\":null}");
    }

    @Test
    void answersWithEveryFieldWhenAllowedAndShowsTheRateOfABucket() {
        HttpResponse<String> allowed =
                node.check("{\"attributes\": {\"path\": \"/bucket\", \"user\": \"a\"}, \"permits\": 3}");

        assertThat(allowed.statusCode()).isEqualTo(200);
        assertThat(allowed.headers().firstValue("RateLimit-Policy")).contains("\"bucket.0\";q=4;w=7200");
        assertThat(allowed.headers().firstValue("RateLimit")).contains("\"bucket.0\";r=1;t=5400");
        assertThat(allowed.headers().firstValue("Retry-After")).isEmpty();
        assertThat(allowed.body())
                .isEqualTo("{\"allowed\":true,\"rule\":\"bucket\",\"limit\":{\"id\":\"bucket.0\","
                        + "\"algorithm\":\"token_bucket\",\"limit\":4,\"window_ms\":7200000,\"rate\":\"2/h\","
                        + "\"by\":[\"user\"]},\"remaining\":1,\"retry_after_ms\":0,\"reset_after_ms\":5400000,"
                        + "\"wait_ms\":0,\"mode\":\"local\",\"degraded\":null,\"rule_version\":1,"
                        + "\"matched\":[\"bucket\"],\"shadow_refused\":[],\"permits\":3,\"permit\":null}");
    }

    @Test
    void answersWithNullsWhenNothingMatches() {
        HttpResponse<String> allowed = node.check("{\"attributes\": {\"path\": \"/other\"}}");

        assertThat(allowed.statusCode()).isEqualTo(200);
        assertThat(allowed.headers().firstValue("RateLimit")).isEmpty();
        assertThat(allowed.body())
                .isEqualTo("{\"allowed\":true,\"rule\":null,\"limit\":null,\"remaining\":null,"
                        + "\"retry_after_ms\":null,\"reset_after_ms\":null,\"wait_ms\":0,\"mode\":\"local\","
                        + "\"degraded\":null,\"rule_version\":1,\"matched\":[],\"shadow_refused\":[],"
                        + "\"permits\":1,\"permit\":null}");
    }

    @Test
    void waitingNeverHelpsIfTheRateIsZero() {
        HttpResponse<String> refused = node.check("{\"attributes\": {\"path\": \"/never\"}}");

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).isEmpty();
        assertThat(refused.body()).contains("\"retry_after_ms\":null");
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void fiveHundredParallelChecksOnALimitOfTenAdmitExactlyTen(HttpClient.Version version) {
        HttpClient client = HttpClient.newBuilder().version(version).build();
        HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.ofString(
                "{\"attributes\": {\"path\": \"/ten\", \"user\": \"" + version + "\"}}");
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            answers.add(client.sendAsync(
                    node.request("/v1/check").POST(body).build(), HttpResponse.BodyHandlers.ofString()));
        }

        List<Integer> statuses =
                answers.stream().map(answer -> answer.join().statusCode()).toList();

        assertThat(statuses).hasSize(500).containsOnly(200, 429);
        assertThat(statuses.stream().filter(status -> status == 200)).hasSize(10);
    }

    @Test
    void aRefusedRequestChargesNoOtherLimit() {
        String greedy = "{\"attributes\": {\"path\": \"/both\", \"user\": \"greedy\"}}";
        assertThat(node.check(greedy).statusCode()).isEqualTo(200);
        for (int i = 0; i < 10; i++) {
            assertThat(node.check(greedy).body()).contains("\"rule\":\"own\"");
        }

        assertThat(node.check("{\"attributes\": {\"path\": \"/both\", \"user\": \"b\"}}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(node.check("{\"attributes\": {\"path\": \"/both\", \"user\": \"c\"}}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(node.check("{\"attributes\": {\"path\": \"/both\", \"user\": \"d\"}}")
                        .body())
                .contains("\"rule\":\"shared\"");
    }

    @Test
    void aLookIsAlways200AndChargesNothing() {
        String look = "{\"attributes\": {\"path\": \"/login\", \"ip\": \"2001:db8::1\"}, \"permits\": 0}";
        assertThat(node.check(look).body()).contains("\"allowed\":true").contains("\"permits\":0");
        assertThat(node.check(look).body()).contains("\"allowed\":true");
        assertThat(node.check(look.replace(": 0}", ": 1}")).statusCode()).isEqualTo(200);

        HttpResponse<String> again = node.check(look.replace("::1", "::2"));

        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(again.body()).contains("\"allowed\":false");
        assertThat(again.headers().firstValue("Retry-After")).isEmpty();
    }

    @Test
    void morePermitsThanTheCapacityOfALimitAre400AndChargeNothing() {
        HttpResponse<String> impossible =
                node.check("{\"attributes\": {\"path\": \"/bucket\", \"user\": \"b\"}, \"permits\": 5}");

        assertProblem(impossible, 400, "permits: 5 (expected: at most 4, the capacity of limit bucket.0)");
        assertThat(node.check("{\"attributes\": {\"path\": \"/bucket\", \"user\": \"b\"}, \"permits\": 4}")
                        .statusCode())
                .isEqualTo(200);
    }

    /** One passes and three wait, so four at once are possible, though not twice, and five never are. */
    @Test
    void morePermitsThanALeakyBucketEverHoldsAre400HoweverFullItIs() {
        String five = "{\"attributes\": {\"path\": \"/queue\"}, \"permits\": 5}";
        String four = five.replace('5', '4');

        assertProblem(node.check(five), 400, "permits: 5 (expected: at most 4, the capacity of limit queue.0)");
        assertThat(node.check(four).statusCode()).isEqualTo(200);
        assertThat(node.check(four).statusCode()).isEqualTo(429);
        assertProblem(node.check(five), 400, "permits: 5 (expected: at most 4, the capacity of limit queue.0)");
    }

    /** As {@code curl --http2} asks. */
    @Test
    void anUpgradeToHttp2StaysHttp1() throws Exception {
        String body = "{\"attributes\": {\"path\": \"/nothing\"}}";
        String head = RawClient.lines(
                "POST /v1/check HTTP/1.1",
                "Host: a",
                "Connection: Upgrade, HTTP2-Settings",
                "Upgrade: h2c",
                "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
                "Content-Length: " + body.length());
        try (RawClient client = new RawClient(new Socket(InetAddress.getLoopbackAddress(), node.node.apiPort()))) {
            for (int i = 0; i < 2; i++) {
                assertThat(client.send(head + body).message())
                        .startsWith("HTTP/1.1 200 ")
                        .contains("\"allowed\":true")
                        .doesNotContainIgnoringCase("upgrade");
            }
        }
    }

    @Test
    void numbersAndBooleansBecomeTextAndNullIsAbsent() {
        assertThat(node.check("{\"attributes\": {\"path\": \"/bucket\", \"user\": 17}, \"permits\": 4}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(node.check("{\"attributes\": {\"path\": \"/bucket\", \"user\": \"17\"}}")
                        .statusCode())
                .isEqualTo(429);
        assertThat(node.check("{\"attributes\": {\"path\": \"/bucket\", \"user\": true}, \"permits\": 4}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(node.check("{\"attributes\": {\"path\": \"/bucket\", \"user\": \"true\"}}")
                        .statusCode())
                .isEqualTo(429);
        assertThat(node.check("{\"attributes\": {\"path\": \"/bucket\", \"user\": null}, \"permits\": 4}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(node.check("{\"attributes\": {\"path\": \"/bucket\"}}").statusCode())
                .isEqualTo(429);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``                                    | body: empty (expected: a JSON object)",
                "[]                                    | body: an array (expected: a JSON object)",
                "\"x\"                                 | body: x (expected: a JSON object)",
                "{}                                    | attributes: missing (expected: an object, {} for none)",
                "{\"permits\": 1}                      | attributes: missing (expected: an object, {} for none)",
                "{\"attributes\": []}                  | attributes: an array (expected: an object)",
                "{\"attributes\": null}                | attributes: null (expected: an object)",
                "{\"attributes\": {}, \"permit\": 1}   | unknown field: permit (expected: attributes, permits, reserve)",
                "{\"attributes\": {\"path\": \"/a/../b\"}} | path: /a/../b (expected: no .. segments)",
                "{\"attributes\": {\"a\": {}}}         | attributes.a: an object (expected: text, a number or a boolean)",
                "{\"attributes\": {\"a\": [1]}}        | attributes.a: an array (expected: text, a number or a boolean)",
                "{\"attributes\": {}, \"permits\": -1} | permits: -1 (expected: 0..1000000000)",
                "{\"attributes\": {}, \"permits\": 1.5} | permits: 1.5 (expected: a whole number, 0..1000000000)",
                "{\"attributes\": {}, \"permits\": 1e308} | permits: 1e308 (expected: a whole number, 0..1000000000)",
                "{\"attributes\": {}, \"permits\": \"1\"} | permits: 1 (expected: a whole number, 0..1000000000)",
                "{\"attributes\": {}, \"permits\": null} | permits: null (expected: a whole number, 0..1000000000)",
                "{\"attributes\": {}, \"permits\": 1000000001} | permits: 1000000001 (expected: 0..1000000000)",
                "{\"attributes\": {}, \"permits\": 9223372036854775808} | permits: 9223372036854775808 (expected: 0..1000000000)",
                "{\"attributes\": {}} x                | body: not JSON",
                "{\"attributes\": {}} {}               | body: text after its end (expected: one JSON object)",
                "{\"attributes\": {}                   | body: not JSON",
                "{\"attributes\": {}, \"attributes\": {}} | body: not JSON, Duplicate field 'attributes'",
                "{\"attributes\": {\"a\": 1, \"a\": 2}} | body: not JSON, Duplicate field 'a'",
                "{\"attributes\": {\"header.a\": 1, \"header.A\": 2}} | attributes: header.a is given twice",
                "{\"attributes\": {}, \"permits\": NaN} | body: not JSON",
                "not json                              | body: not JSON",
            })
    void badBodiesAre400(String body, String detail) {
        assertProblem(node.check(body), 400, detail);
    }

    @Test
    void bytesThatAreNotUtf8Are400() {
        byte[] body = "{\"attributes\": {\"user\": \"?\"}}".getBytes(StandardCharsets.US_ASCII);
        body["{\"attributes\": {\"user\": \"".length()] = (byte) 0xff;
        assertProblem(
                node.send(node.request("/v1/check").POST(HttpRequest.BodyPublishers.ofByteArray(body))),
                400,
                "body: not UTF-8 (expected: a JSON object in UTF-8)");
        assertProblem(
                node.send(node.request("/v1/check")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"attributes\": {}}", StandardCharsets.UTF_16))),
                400,
                "body: not UTF-8");
    }

    @Test
    void deepNestingIs400() {
        assertProblem(node.check("[".repeat(60_000)), 400, "body: an array");
        assertProblem(node.check("{\"attributes\":{\"a\":" + "[".repeat(60_000)), 400, "attributes.a: an array");
    }

    @Test
    void aBodyOf64KilobytesIsReadAndOneByteMoreIs413() {
        String body = "{\"attributes\": {\"path\": \"/bucket\", \"user\": \"\"}}";
        String fits = body.replace("\"\"", '"' + "x".repeat(65_536 - body.length()) + '"');

        assertThat(node.check(fits).statusCode()).isEqualTo(200);
        assertProblem(node.check(fits + " "), 413, "body: too large (expected: at most 65536 bytes)");
    }

    @Test
    void aHugeBodyIs413AndClosesTheConnection() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.node.apiPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream()
                    .write(("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n"
                                    + "x".repeat(200_000))
                            .getBytes(StandardCharsets.US_ASCII));

            String answer = readAll(socket.getInputStream());

            assertThat(answer).startsWith("HTTP/1.1 413 ").contains("application/problem+json");
        }
    }

    @Test
    void chunkedBodiesAreReadAndTheirSizeIsLimited() {
        String body = "{\"attributes\": {\"path\": \"/bucket\", \"user\": \"chunked\"}}";

        assertThat(chunked(body).statusCode()).isEqualTo(200);
        assertProblem(chunked(body + " ".repeat(100_000)), 413, "body: too large");
    }

    private static HttpResponse<String> chunked(String body) {
        return node.send(node.request("/v1/check")
                .header("Content-Type", "text/nonsense")
                .POST(HttpRequest.BodyPublishers.ofInputStream(
                        () -> new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)))));
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrder() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.node.apiPort())) {
            socket.setSoTimeout(60_000);
            StringBuilder requests = new StringBuilder();
            for (int i = 0; i < 50; i++) {
                String body = "{\"attributes\": {\"path\": \"/none\"}, \"permits\": " + (i + 1) + "}";
                requests.append("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length());
                requests.append((i == 49 ? "\r\nConnection: close" : "") + "\r\n\r\n" + body);
            }
            socket.getOutputStream().write(requests.toString().getBytes(StandardCharsets.US_ASCII));

            String answers = readAll(socket.getInputStream());

            int at = 0;
            for (int i = 0; i < 50; i++) {
                at = answers.indexOf("\"permits\":" + (i + 1) + ",", at);
                assertThat(at).isPositive();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/v1",
                "/v1/check/",
                "/v1//check",
                "/V1/check",
                "/v1/check%2f",
                "/%00",
                "/health;x",
                "/..",
                "/metrics/x"
            })
    void unknownPathsAre404(String path) {
        assertProblem(node.get(path), 404, "path: not served here");
    }

    @Test
    void wrongMethodsAre405() {
        HttpResponse<String> get = node.get("/v1/check");
        assertProblem(get, 405, "method: not allowed here (expected: POST)");
        assertThat(get.headers().firstValue("Allow")).contains("POST");
        assertProblem(
                node.send(node.request("/health").DELETE()), 405, "method: not allowed here (expected: GET, HEAD)");
        assertProblem(
                node.send(node.request("/metrics").POST(HttpRequest.BodyPublishers.noBody())),
                405,
                "method: not allowed here");
    }

    @Test
    void queriesDoNotChangeThePath() {
        assertThat(node.get("/health?verbose").statusCode()).isEqualTo(200);
    }

    @Test
    void headOfHealthHasNoBody() {
        HttpResponse<String> head =
                node.send(node.request("/health").method("HEAD", HttpRequest.BodyPublishers.noBody()));

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
    }

    @Test
    void garbageIsAnsweredAndHarmsNoOtherCaller() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.node.apiPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write("\u0001\u0002 garbage\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(readAll(socket.getInputStream())).matches("(?s)HTTP/1\\.[01] 400 .*");
        }
        assertThat(node.get("/health").statusCode()).isEqualTo(200);
    }

    @Test
    void serves() {
        HttpResponse<String> health = node.get("/health");

        assertThat(health.statusCode()).isEqualTo(200);
        assertThat(health.body())
                .matches("\\{\"status\":\"serving\",\"engine\":\"local\",\"rules\":7,\"rule_version\":1,"
                        + "\"rule_digest\":\"[0-9a-f]{64}\",\"rules_kept\":false,\"degraded\":null,"
                        + "\"degraded_since\":null,\"findings\":\\[]}");
    }

    private static void assertProblem(HttpResponse<String> answer, int status, String detail) {
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(answer.body())
                .startsWith("{\"type\":\"about:blank\",\"title\":\"")
                .contains("\"status\":" + status + ",\"detail\":\"" + detail);
    }

    private static String readAll(InputStream in) throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
}
