package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.caller.CallerQuestion;
import io.sluice.testkit.Await;
import io.sluice.testkit.LiveFolder;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the rules in force say about a request, told by the center and a node. */
@Timeout(600)
class ExplainTest {

    private static final String RULES = """
            rules:
              - id: login
                name: Five logins
                resource: /api/login
                methods: [POST]
                limits:
                  - { by: ip, limit: 5, window: 1m }
              - id: acme
                tenant: acme
                match: { tenant: acme, header.x-user: "7*" }
                limits:
                  - { by: header.x-user, limit: 9, window: 1h }
                overrides:
                  - { when: { header.x-user: "77" }, limit: 99 }
              - { id: fields, match: { json.kind: big, query.x: "1" }, shadow: true, limits: [{ limit: 3, window: 1s }] }
              - { id: banned, action: deny, match: { ip: 198.51.100.0/24 } }
              - { id: off, enabled: false, resource: /api/login, limits: [{ limit: 1, window: 1s }] }
              - { id: named, for: code, limits: [{ limit: 1, window: 1s }] }
            """;

    @TempDir
    static Path data;

    /** It stands still while a node answers, so that no answer comes too late. */
    private static final ManualClock CLOCK = QuietClock.at(1_800_057_600_000_000L);

    private static Center center;
    private static ApiClient api;

    @BeforeAll
    static void start() throws Exception {
        center = open(data.resolve("center"));
        api = ApiClient.of(center);
    }

    private static Center open(Path folder) throws Exception {
        Center opened = Center.open(PreparedCenter.in(folder), CLOCK);
        ApiClient client = ApiClient.of(opened);
        long unused =
                client.release(client.send("POST", "/api/changes?title=t&reason=r&base=0", "application/yaml", RULES)
                        .expect(201));
        return opened;
    }

    /** No node of one test lives in the next one. */
    @AfterEach
    void forget() {
        CLOCK.advance(Duration.ofMinutes(1));
    }

    @AfterAll
    static void stop() {
        center.close();
    }

    @Test
    void withoutANodeTheRulesAreExplainedWithoutCounts() {
        JsonNode said = attributes("{\"path\":\"/api/login\",\"method\":\"POST\",\"ip\":\"203.0.113.7\"}");
        assertThat(said.get("answered").asBoolean()).isFalse();
        assertThat(said.get("node").isNull()).isTrue();
        assertThat(said.get("version").asLong()).isEqualTo(1);
        JsonNode login = rule(said, "login");
        assertThat(login.get("matches").asBoolean()).isTrue();
        assertThat(login.get("name").asString()).isEqualTo("Five logins");
        assertThat(login.get("why").asString()).isEqualTo("path is /api/login; method is POST");
        assertThat(login.get("state").asString()).isEqualTo("live");
        assertThat(login.at("/limits/0/limit").asString()).isEqualTo("login.0");
        assertThat(login.at("/limits/0/text").asString()).isEqualTo("5 per 1m by ip");
        assertThat(login.at("/limits/0/key").asString()).isEqualTo("ip=20***");
        assertThat(login.at("/limits/0/allowed").isNull()).isTrue();
        assertThat(said.at("/decision/allowed").isNull()).isTrue();
        assertThat(rule(said, "acme").get("why").asString())
                .isEqualTo("header.x-user is missing (expected: 7*); tenant is missing (expected: acme)");
        assertThat(rule(said, "off").get("state").asString()).isEqualTo("disabled");
        assertThat(rule(said, "off").get("why").asString()).isEqualTo("the rule is disabled");
        assertThat(rule(said, "named").get("why").asString()).contains("for code");
        assertThat(rule(said, "banned").get("why").asString())
                .isEqualTo("ip is 203.0.113.7 (expected: 198.51.100.0/24)");
    }

    @Test
    void aNodeTellsTheCountsOfARequestThatIsNeitherStoredNorLogged() throws Exception {
        Path folder = data.resolve("other");
        List<CallerQuestion> asked = new ArrayList<>();
        JsonNode said;
        try (Center other = open(folder)) {
            ApiClient client = ApiClient.of(other);
            FakeNode node = new FakeNode(client, "n1");
            var unused = node.keepsItsOwn();
            said = answered(
                    node,
                    () -> client.post(
                            "/api/explain",
                            "{\"attributes\":{\"path\":\"/api/login\",\"method\":\"POST\",\"ip\":\"203.0.113.77\","
                                    + "\"unread\":\"zqsecret\"}}"),
                    question -> {
                        asked.add(question);
                        return Optional.of(told("login", "login.0", false, 41_230));
                    });
        }
        assertThat(asked.get(0).kind()).isEqualTo(CallerQuestion.Kind.REQUEST);
        assertThat(asked.get(0).request()).containsEntry("ip", "203.0.113.77").doesNotContainKey("unread");
        assertThat(said.get("answered").asBoolean()).isTrue();
        assertThat(said.get("node").asString()).isEqualTo("n1");
        JsonNode limit = rule(said, "login").at("/limits/0");
        assertThat(limit.get("allowed").asBoolean()).isFalse();
        assertThat(limit.get("remaining").asLong()).isZero();
        assertThat(limit.get("used").asLong()).isEqualTo(5);
        assertThat(limit.get("retry_after_ms").asLong()).isEqualTo(41_230);
        assertThat(limit.get("hash").asString()).isEqualTo("h".repeat(43));
        assertThat(said.at("/decision/allowed").asBoolean()).isFalse();
        assertThat(said.at("/decision/rule").asString()).isEqualTo("login");
        assertThat(said.at("/decision/retry_after_ms").asLong()).isEqualTo(41_230);
        assertThat(LiveFolder.filesWith(folder, "203.0.113.77")).isEmpty();
        assertThat(LiveFolder.filesWith(folder, "zqsecret")).isEmpty();
    }

    @Test
    void nonsenseOfANodeIsNoAnswer() {
        FakeNode node = new FakeNode(api, "n1");
        var unused = node.keepsItsOwn();
        for (String nonsense : List.of("nonsense", "[]", "{}", "{\"limits\":7}")) {
            JsonNode said = reached(node, ExplainTest::login, question -> Optional.of(nonsense));
            assertThat(said.get("answered").asBoolean()).as(nonsense).isFalse();
            assertThat(said.at("/decision/allowed").isNull()).as(nonsense).isTrue();
            assertThat(rule(said, "login").at("/limits/0/remaining").isNull())
                    .as(nonsense)
                    .isTrue();
        }
    }

    @Test
    void aLimitThatANodeDoesNotTellLeavesTheDecisionOpen() {
        FakeNode node = new FakeNode(api, "n1");
        var unused = node.keepsItsOwn();
        for (String little : List.of(
                "{\"allowed\":true,\"limits\":[]}",
                "{\"allowed\":true,\"limits\":[7,{\"rule\":\"login\",\"id\":{},\"used\":\"x\"}]}",
                told("login", "login.7", true, 0))) {
            JsonNode said = answered(node, ExplainTest::login, question -> Optional.of(little));
            assertThat(said.at("/decision/allowed").isNull()).as(little).isTrue();
            assertThat(said.at("/decision/why").asString()).contains("did not tell all counts");
            assertThat(rule(said, "login").at("/limits/0/remaining").isNull()).isTrue();
        }
    }

    @Test
    void withoutItsStoreANodeFollowsItsPolicies() {
        FakeNode node = new FakeNode(api, "n1");
        var unused = node.keepsItsOwn();
        for (boolean allows : new boolean[] {true, false}) {
            String away = told("login", "login.0", false, 0)
                    .replaceFirst("\"allowed\":false", "\"allowed\":" + allows + ",\"degraded\":\"unavailable\"");
            JsonNode said = answered(node, ExplainTest::login, question -> Optional.of(away));
            assertThat(said.at("/decision/allowed").asBoolean()).isEqualTo(allows);
            assertThat(said.at("/decision/why").asString()).contains("on_failure");
            JsonNode limit = rule(said, "login").at("/limits/0");
            for (String count : List.of("allowed", "used", "remaining", "retry_after_ms")) {
                assertThat(limit.get(count).isNull()).as(count).isTrue();
            }
            assertThat(said.get("warnings").toString()).contains("store of the node that answered is unavailable");
        }
    }

    @Test
    void aNodeWithAnotherVersionIsNamedInAWarning() {
        FakeNode node = new FakeNode(api, "n1");
        var unused = node.keepsItsOwn();
        String same = told("login", "login.0", true, 0).replaceFirst("\\{", "{\"rule_version\":1,");
        assertThat(answered(node, ExplainTest::login, question -> Optional.of(same))
                        .get("warnings")
                        .toString())
                .doesNotContain("has version");
        String other = told("login", "login.0", true, 0).replaceFirst("\\{", "{\"rule_version\":7,");
        assertThat(answered(node, ExplainTest::login, question -> Optional.of(other))
                        .get("warnings")
                        .toString())
                .contains("has version 7 of the rules");
    }

    @Test
    void theNumbersOfAnOverrideByHashAreThoseOfTheNode() {
        FakeNode node = new FakeNode(api, "n1");
        var unused = node.keepsItsOwn();
        String overridden = told("login", "login.0", true, 0)
                .replace("\"override\":false", "\"override\":true,\"limit\":500,\"window_ms\":60000");
        JsonNode limit = rule(answered(node, ExplainTest::login, question -> Optional.of(overridden)), "login")
                .at("/limits/0");
        assertThat(limit.get("text").asString()).isEqualTo("500 per 1m by ip");
        assertThat(limit.get("override").asBoolean()).isTrue();
    }

    @Test
    void theHashOfACallerIsOnlyForThoseWhoSetOverrides() {
        FakeNode node = new FakeNode(api, "n1");
        var unused = node.keepsItsOwn();
        ApiClient viewer = ApiClient.person(center, "vera", Grant.of(Role.VIEWER));
        ApiClient operator = ApiClient.person(center, "otto", Grant.of(Role.OPERATOR));
        String body = "{\"attributes\":{\"path\":\"/api/login\",\"method\":\"POST\"}}";
        String open = told("login", "login.0", true, 0);
        String hidden = open.replace("ip=20***", "ip=***");
        assertThat(hash(answered(node, () -> operator.post("/api/explain", body), question -> Optional.of(open))))
                .isEqualTo("h".repeat(43));
        assertThat(answered(node, () -> viewer.post("/api/explain", body), question -> Optional.of(open))
                        .toString())
                .doesNotContain("h".repeat(43));
        assertThat(answered(node, () -> operator.post("/api/explain", body), question -> Optional.of(hidden))
                        .toString())
                .doesNotContain("h".repeat(43));
    }

    @Test
    void aNodeOfAnOlderVersionIsNotWaitedFor() throws Exception {
        // Not the center of the other tests, whose nodes would be waited for.
        try (Center other = open(data.resolve("older"))) {
            ApiClient client = ApiClient.of(other);
            FakeNode node = new FakeNode(client, "old").explainsNothing();
            var unused = node.keepsItsOwn();
            // The clock stands still, so the answer would come only after a node's.
            JsonNode said = client.post(
                            "/api/explain", "{\"attributes\":{\"path\":\"/api/login\",\"method\":\"POST\"}}")
                    .expect(200)
                    .json();
            assertThat(said.get("answered").asBoolean()).isFalse();
            assertThat(said.at("/decision/allowed").isNull()).isTrue();
            assertThat(node.keepsItsOwn().questions()).isEmpty();
        }
    }

    @Test
    void aCommandHasTheAttributesThatTheGatewayWouldGiveIt() {
        JsonNode said = curl(
                "curl -X POST 'https://Shop.Example:8443/api/login?x=1&y=2' -H 'X-User: 77' -H 'X-Other: 1'"
                        + " --json '{\"kind\":\"big\"}'",
                "{\"tenant\":\"acme\"}");
        JsonNode request = said.get("request");
        assertThat(request.get("method").asString()).isEqualTo("POST");
        assertThat(request.get("path").asString()).isEqualTo("/api/login");
        assertThat(request.get("header.host").asString()).isEqualTo("shop.example");
        assertThat(request.get("header.x-user").asString()).isEqualTo("77");
        assertThat(request.get("query.x").asString()).isEqualTo("1");
        assertThat(request.get("json.kind").asString()).isEqualTo("big");
        assertThat(request.has("header.x-other")).isFalse();
        assertThat(said.get("ignored").toString())
                .contains("header.x-other", "query.y")
                .doesNotContain("query.x\"");
        assertThat(said.get("warnings").toString()).contains("does not tell ip");
        assertThat(rule(said, "acme").at("/limits/0/text").asString()).isEqualTo("99 per 1h by header.x-user");
        assertThat(rule(said, "acme").at("/limits/0/override").asBoolean()).isTrue();
        assertThat(rule(said, "fields").get("state").asString()).isEqualTo("shadow");
        assertThat(rule(said, "fields").get("why").asString()).isEqualTo("json.kind is big; query.x is 1");
    }

    @Test
    void aCommandThatTheGatewayWouldRefuseSaysSo() {
        assertThat(curl("curl 'http://x/?x=1&x=2'", "{}").get("warnings").toString())
                .contains("the gateway refuses such a request: query.x");
        assertThat(curl("curl -H 'X-User: 1' -H 'X-User: 2' http://x/", "{}")
                        .get("warnings")
                        .toString())
                .contains("the gateway refuses such a request: header x-user");
        for (String bad : List.of(
                "curl http://x/a/../b",
                "curl -X get http://x/",
                "curl 'http://x/a b'",
                "curl ftp://x/",
                "curl http://x/%2e%2e")) {
            Answer answer =
                    api.post("/api/explain", "{\"curl\":" + JsonMapper.shared().writeValueAsString(bad) + "}");
            assertThat(answer.status()).as(bad + answer.text()).isEqualTo(400);
            assertThat(answer.string("detail")).contains("(expected: ");
        }
    }

    @Test
    void aRuleThatDeniesDecidesWithoutCounts() {
        JsonNode said = attributes("{\"ip\":\"198.51.100.9\"}");
        assertThat(said.at("/decision/allowed").asBoolean()).isFalse();
        assertThat(said.at("/decision/rule").asString()).isEqualTo("banned");
        assertThat(attributes("{\"path\":\"/else\"}").at("/decision/allowed").asBoolean())
                .isTrue();
    }

    @Test
    void aSwitchToShadowIsInTheExplanation() throws Exception {
        try (Center other = open(data.resolve("switched"))) {
            ApiClient client = ApiClient.of(other);
            client.post("/api/switch", "{\"rule\":\"acme\",\"to\":\"shadow\",\"in\":\"24h\",\"reason\":\"r\"}")
                    .expect(201);
            Await.until("the switch", Duration.ofMinutes(5), () -> {
                // Somebody who asks too often within a minute is refused.
                CLOCK.advance(Duration.ofSeconds(1));
                JsonNode said = client.post("/api/explain", "{\"attributes\":{\"path\":\"/api/login\"}}")
                        .expect(200)
                        .json();
                return rule(said, "acme").get("state").asString().equals("shadow");
            });
        }
    }

    @Test
    void peopleOfATenantSeeOnlyTheirRules() {
        FakeNode node = new FakeNode(api, "n1");
        var unused = node.keepsItsOwn();
        ApiClient viewer = ApiClient.person(center, "ann", Grant.of(Role.VIEWER, "acme"));
        String body =
                "{\"curl\":\"curl -X POST http://x/api/login -H 'X-User: 7'\",\"attributes\":{\"tenant\":\"acme\",\"ip\":"
                        + "\"198.51.100.9\"},\"rule\":\"login\"}";
        JsonNode said = answered(
                node,
                () -> viewer.post("/api/explain", body),
                question -> Optional.of(told("login", "login.0", false, 5)));
        assertThat(said.get("rules")).hasSize(1);
        assertThat(said.at("/rules/0/rule").asString()).isEqualTo("acme");
        assertThat(said.get("others").asLong()).isZero();
        assertThat(said.get("node").isNull()).isTrue();
        assertThat(said.at("/decision/allowed").isNull()).isTrue();
        assertThat(said.at("/decision/why").asString()).contains("did not tell all counts");
        assertThat(said.get("warnings").toString()).contains("only the rules that you may read");
        assertThat(said.toString()).doesNotContain("login.0", "banned", "n1");
    }

    @Test
    void aRequestThatIsNoneIsRefused() {
        for (String body : List.of(
                "{}",
                "[]",
                "nonsense",
                "{\"curl\":7}",
                "{\"curl\":\"wget x\"}",
                "{\"attributes\":7}",
                "{\"attributes\":{\"a\":{}}}",
                "{\"attributes\":{\"a\":[]}}",
                "{\"attributes\":{\"\":1}}",
                "{\"attributes\":{\"path\":\"a/../b\"}}",
                "{\"attributes\":{\"header.A\":\"1\",\"header.a\":\"2\"}}",
                "{\"attributes\":{\"" + "n".repeat(301) + "\":1}}",
                "{\"attributes\":{\"a\":\"" + "v".repeat(70_000) + "\"}}",
                "{\"curl\":\"curl http://x/" + "a".repeat(70_000) + "\"}",
                "{\"attributes\":{},\"unknown\":1}")) {
            assertThat(api.post("/api/explain", body).status())
                    .as(body.substring(0, Math.min(80, body.length())))
                    .isEqualTo(400);
        }
    }

    /** Asks until the node answers. On a busy machine a question may end before. */
    private static JsonNode answered(
            FakeNode node, Supplier<Answer> request, Function<CallerQuestion, Optional<String>> content) {
        while (true) {
            JsonNode said = reached(node, request, content);
            if (said.get("answered").asBoolean()) {
                return said;
            }
            giveUp(node);
        }
    }

    /** Asks until the question reaches the node, whatever becomes of the answer. */
    private static JsonNode reached(
            FakeNode node, Supplier<Answer> request, Function<CallerQuestion, Optional<String>> content) {
        while (true) {
            AtomicBoolean isAsked = new AtomicBoolean();
            JsonNode said = node.answering(request, question -> {
                        isAsked.set(true);
                        return content.apply(question);
                    })
                    .expect(200)
                    .json();
            if (isAsked.get()) {
                return said;
            }
            giveUp(node);
        }
    }

    /** Lets time pass until the center no longer waits for an answer to the last question. The node lives on. */
    private static void giveUp(FakeNode node) {
        CLOCK.advance(Duration.ofSeconds(6));
        var unused = node.keepsItsOwn();
    }

    private static Answer login() {
        return api.post("/api/explain", "{\"attributes\":{\"path\":\"/api/login\",\"method\":\"POST\"}}");
    }

    private static String hash(JsonNode said) {
        return rule(said, "login").at("/limits/0/hash").asString();
    }

    private static JsonNode attributes(String attributes) {
        return api.post("/api/explain", "{\"attributes\":" + attributes + "}")
                .expect(200)
                .json();
    }

    private static JsonNode curl(String command, String attributes) {
        return api.post(
                        "/api/explain",
                        "{\"curl\":" + JsonMapper.shared().writeValueAsString(command) + ",\"attributes\":" + attributes
                                + "}")
                .expect(200)
                .json();
    }

    private static JsonNode rule(JsonNode said, String id) {
        return said.get("rules").values().stream()
                .filter(each -> each.get("rule").asString().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static String told(String rule, String limit, boolean allows, long retry) {
        return "{\"allowed\":" + allows + ",\"limits\":[{\"id\":\"" + limit + "\",\"rule\":\"" + rule
                + "\",\"key\":\"ip=20***\",\"hash\":\"" + "h".repeat(43)
                + "\",\"used\":5,\"remaining\":0,\"retry_after_ms\":" + retry
                + ",\"reset_after_ms\":60000,\"would_allow\":" + allows + ",\"shadow\":false,\"override\":false}]}";
    }
}
