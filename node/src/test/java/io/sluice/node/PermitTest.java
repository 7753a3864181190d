package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.runtime.Store;
import io.sluice.testkit.redis.RedisServer;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Permits of concurrency limits over HTTP, in process and on a store that two nodes share. */
@Timeout(300)
class PermitTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int FORGED = 300;

    private static final String RULES = """
            rules:
              - id: reports
                resource: /reports
                deadline: 1m
                on_failure: closed
                limits:
                  - { id: all, algorithm: concurrency, limit: 3, ttl: 1h }
                  - { id: own, by: user, algorithm: concurrency, limit: 2, ttl: 1h }
              - id: tried
                resource: /reports
                shadow: true
                deadline: 1m
                limits: [{ algorithm: concurrency, limit: 1, ttl: 1h }]
              - { id: short, resource: /short, deadline: 1m, limits: [{ algorithm: concurrency, limit: 1, ttl: 300ms }] }
              - { id: counted, resource: /reports, deadline: 1m, limits: [{ limit: 1000, window: 1h }] }
              - { id: near, resource: /near, mode: local, limits: [{ algorithm: concurrency, limit: 1, ttl: 1h }] }
            """;

    private static NodeConfig config() {
        return NodeConfig.inProcess(new RulesFrom.Text("t", RULES), 0);
    }

    @Test
    void onePermitCoversAllLimitsAndIsReleasedOnce() throws Exception {
        try (RunningNode node = RunningNode.start(config(), Store::redis)) {
            onePermitCoversAllLimitsAndIsReleasedOnce(node, node);
        }
    }

    @Test
    void aPermitIsValidAtEveryNodeOfTheSameStore() throws Exception {
        RedisServer redis = RedisServer.shared();
        try (RunningNode one = RunningNode.onRedis(config().withRedis(redis.uri()));
                RunningNode two = RunningNode.onRedis(config().withRedis(redis.uri()))) {
            onePermitCoversAllLimitsAndIsReleasedOnce(one, two);
            String near = permit(one.check(check("/near", "a", 1)));
            assertThat(post(two, "release", near).statusCode()).isEqualTo(404);
            assertThat(post(one, "release", near).statusCode()).isEqualTo(204);
        }
    }

    private static void onePermitCoversAllLimitsAndIsReleasedOnce(RunningNode one, RunningNode two) throws Exception {
        String first = permit(one.check(check("/reports", "a", 2)));
        HttpResponse<String> second = two.check(check("/reports", "a", 1));
        assertThat(second.statusCode()).isEqualTo(429);
        assertThat(second.body()).contains("\"limit\":{\"id\":\"reports.own\"", "\"permit\":null");
        assertThat(two.check(check("/reports", "b", 2)).body()).contains("reports.all");
        String third = permit(two.check(check("/reports", "b", 1)));

        assertThat(post(two, "renew", first).statusCode()).isEqualTo(204);
        assertThat(post(two, "release", first).statusCode()).isEqualTo(204);
        assertThat(post(two, "release", first).statusCode()).isEqualTo(404);
        assertThat(post(one, "renew", first).statusCode()).isEqualTo(404);
        assertThat(post(one, "release", third).statusCode()).isEqualTo(204);

        HttpResponse<String> again = one.check(check("/reports", "a", 2));
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(again.body()).contains("\"remaining\":0");
        assertThat(post(one, "release", permit(again)).statusCode()).isEqualTo(204);
    }

    @Test
    void permitsOfAShadowLimitAreReleasedToo() throws Exception {
        try (RunningNode node = RunningNode.start(config(), Store::redis)) {
            String first = permit(node.check(check("/reports", "a", 1)));
            HttpResponse<String> second = node.check(check("/reports", "b", 1));
            assertThat(second.body()).contains("\"shadow_refused\":[\"tried.0\"]");
            post(node, "release", first);
            post(node, "release", permit(second));
            assertThat(node.check(check("/reports", "c", 1)).body()).contains("\"shadow_refused\":[]");
        }
    }

    @Test
    void anExpiredPermitIs404AndRenewingKeepsAPermit() throws Exception {
        try (RunningNode node = RunningNode.start(config(), Store::redis)) {
            String kept = permit(node.check(check("/reports", "a", 1)));
            for (int i = 0; i < 4; i++) {
                assertThat(post(node, "renew", kept).statusCode()).isEqualTo(204);
            }
            String held = permit(node.check(check("/short", "a", 1)));
            Awaitility.await().untilAsserted(() -> assertThat(
                            node.check(check("/short", "b", 1)).statusCode())
                    .isEqualTo(200));
            assertThat(post(node, "renew", held).statusCode()).isEqualTo(404);
            assertThat(post(node, "release", held).statusCode()).isEqualTo(404);
        }
    }

    @Test
    void neitherALookNorALimitThatOnlyCountsHoldsAPermit() throws Exception {
        try (RunningNode node = RunningNode.withRules("""
                rules:
                  - { id: held, resource: /held, limits: [{ algorithm: concurrency, limit: 1, ttl: 1h }] }
                  - { id: counted, resource: /counted, limits: [{ limit: 5, window: 1m }] }
                """)) {
            assertThat(node.check(check("/held", "a", 0)).body()).contains("\"permit\":null");
            assertThat(node.check(check("/counted", "a", 1)).body()).contains("\"permit\":null");
            assertThat(node.check(check("/held", "a", 1)).body()).doesNotContain("\"permit\":null");
            HttpResponse<String> full = node.check(check("/held", "a", 1));
            assertThat(full.statusCode()).isEqualTo(429);
            assertThat(full.body()).contains("\"reset_after_ms\":null");
            assertThat(JSON.readTree(full.body()).get("retry_after_ms").asLong())
                    .isBetween(1L, 3_600_000L);
        }
    }

    @Test
    void aModifiedPermitReleasesNothing() throws Exception {
        RedisServer redis = RedisServer.shared();
        try (RunningNode alone = RunningNode.start(config(), Store::redis);
                RunningNode shared = RunningNode.onRedis(config().withRedis(redis.uri()))) {
            for (RunningNode node : new RunningNode[] {alone, shared}) {
                String held = permit(node.check(check("/reports", "a", 2)));
                for (int i = 0; i < held.length(); i++) {
                    String changed = held.substring(0, i) + (held.charAt(i) == 'A' ? 'B' : 'A') + held.substring(i + 1);
                    assertThat(post(node, i % 2 == 0 ? "release" : "renew", changed)
                                    .statusCode())
                            .as(changed)
                            .isEqualTo(404);
                }
                assertThat(post(node, "release", held.substring(1)).statusCode())
                        .isEqualTo(404);
                assertThat(post(node, "release", held + "A").statusCode()).isEqualTo(404);
                assertThat(post(node, "release", held).statusCode()).isEqualTo(204);
            }
        }
    }

    @Test
    void forgedAndForeignPermitsCostTheStoreNothing() throws Exception {
        RedisServer redis = RedisServer.shared();
        try (RedisServer other = RedisServer.start();
                RunningNode node = RunningNode.onRedis(config().withRedis(redis.uri()));
                RunningNode foreign = RunningNode.onRedis(config().withRedis(other.uri()))) {
            String held = permit(node.check(check("/reports", "a", 1)));
            String elsewhere = permit(foreign.check(check("/reports", "a", 1)));
            long calls = functionCalls(redis);
            long keys = redis.command("DBSIZE").number();
            for (int i = 0; i < FORGED; i++) {
                String forged = i % 3 == 0 ? elsewhere : (char) ('B' + i % 20) + held.substring(1);
                assertThat(post(node, i % 2 == 0 ? "release" : "renew", forged).statusCode())
                        .isEqualTo(404);
            }
            // Keys of the start may expire meanwhile.
            assertThat(redis.command("DBSIZE").number()).isLessThanOrEqualTo(keys);
            // On a busy machine the node tries whether Redis is fast again.
            assertThat(functionCalls(redis) - calls).isLessThan(FORGED / 3);
            assertThat(post(node, "release", held).statusCode()).isEqualTo(204);
        }
    }

    @Test
    void aPermitIsStillKnownToOtherNodesAfterTheStoreLostItsData() throws Exception {
        RedisServer redis = RedisServer.shared();
        try (RunningNode one = RunningNode.onRedis(config().withRedis(redis.uri()));
                RunningNode two = RunningNode.onRedis(config().withRedis(redis.uri()))) {
            redis.command("FLUSHALL");
            Awaitility.await()
                    .until(() ->
                            redis.command("EXISTS", "rate_limit:#s:permits").number() == 1);
            String held = permit(one.check(check("/reports", "a", 1)));
            assertThat(post(two, "release", held).statusCode()).isEqualTo(204);
        }
    }

    private static long functionCalls(RedisServer redis) {
        return redis.command("INFO", "commandstats")
                .text()
                .lines()
                .filter(line -> line.startsWith("cmdstat_fcall:calls="))
                .mapToLong(line -> Long.parseLong(line.substring("cmdstat_fcall:calls=".length(), line.indexOf(','))))
                .sum();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "AQ", "!!!!", "AQAAAAAAAAAAAAAAAAAAAAAAAAAA", "\u4f60"})
    void textThatIsNoPermitIs404(String text) throws Exception {
        try (RunningNode node = RunningNode.withRules("rules: []")) {
            assertThat(post(node, "release", text).statusCode()).isEqualTo(404);
            assertThat(post(node, "renew", text.repeat(1_000)).statusCode()).isEqualTo(404);
        }
    }

    private static String check(String path, String user, int permits) {
        return "{\"attributes\": {\"path\": \"" + path + "\", \"user\": \"" + user + "\"}, \"permits\": " + permits
                + "}";
    }

    private static String permit(HttpResponse<String> answer) throws Exception {
        assertThat(answer.statusCode()).isEqualTo(200);
        return JSON.readTree(answer.body()).get("permit").textValue();
    }

    private static HttpResponse<String> post(RunningNode node, String verb, String permit) {
        return node.send(node.request("/v1/" + verb)
                .POST(HttpRequest.BodyPublishers.ofString("{\"permit\": \"" + permit + "\"}")));
    }
}
