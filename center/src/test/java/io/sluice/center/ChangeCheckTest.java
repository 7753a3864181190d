package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.SeededRandom;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Whoever writes a rule learns what it would do, and nothing is stored. */
class ChangeCheckTest {

    private static final String LOGIN = """
            id: login
            resource: /login
            limits:
              - { by: ip, limit: 7, window: 1m }
            """;

    @TempDir
    static Path data;

    private static Center center;
    private static ApiClient api;

    @BeforeAll
    static void start() throws Exception {
        center = Center.open(PreparedCenter.in(data));
        api = ApiClient.of(center);
    }

    @AfterAll
    static void stop() {
        center.close();
    }

    @Test
    void saysWhatAChangeWouldDoAndStoresNothing() {
        long version = release(5);
        // The center itself may add rows at any time.
        String rows = api.get("/api/audit?actor=token:admin").expect(200).text();
        int changes = api.get("/api/changes").json().size();
        JsonNode said = check(text(LOGIN));
        assertThat(said.get("base").asLong()).isEqualTo(version);
        assertThat(said.get("errors")).isEmpty();
        assertThat(said.at("/checks/releasable").asBoolean()).isTrue();
        assertThat(said.at("/approval/required").asBoolean()).isFalse();
        assertThat(said.at("/diff/counts/changed").asLong()).isEqualTo(1);
        assertThat(said.at("/diff/sentences/0").asString()).isEqualTo("login: limit by ip 5 per 1m → 7 per 1m");
        assertThat(said.at("/diff/text").asString()).contains("-    \"limit\" : 5");
        assertThat(said.at("/rules/0/limits/0/limit").asLong()).isEqualTo(7);
        assertThat(said.get("document").asString())
                .isEqualTo("rules:\n" + LOGIN.indent(4).replaceFirst("    ", "  - "));
        assertThat(api.get("/api/changes").json()).hasSize(changes);
        assertThat(api.get("/api/audit?actor=token:admin").expect(200).text()).isEqualTo(rows);
        Answer opened =
                api.post("/api/changes", ApiClient.change(version, text(LOGIN))).expect(201);
        assertThat(opened.string("digest")).isEqualTo(said.get("digest").asString());
        assertThat(opened.get("diff")).isEqualTo(said.get("diff"));
        assertThat(opened.get("checks")).isEqualTo(said.get("checks"));
    }

    @Test
    void anErrorHasItsLineInTheTextOfTheRule() {
        JsonNode said = check(text("id: login\nlimits:\n  - { by: ip, limit: -3, window: 1m }\nlimt: 3\n"));
        assertThat(said.get("errors")).hasSize(2);
        assertThat(said.at("/errors/0/file").asString()).isEqualTo("edits[0].put_text");
        assertThat(said.at("/errors/0/rule").asString()).isEqualTo("login");
        assertThat(said.get("errors").values().stream()
                        .map(each -> each.get("line").asLong()))
                .containsExactlyInAnyOrder(3L, 4L);
        assertThat(said.at("/errors/0/message").asString()).contains("(expected: ");
        assertThat(said.get("checks").isNull()).isTrue();
        assertThat(said.get("diff").isNull()).isTrue();
        assertThat(said.get("rules")).isEmpty();
    }

    @Test
    void aDocumentIsCheckedLikeEdits() {
        release(5);
        JsonNode said = api.send(
                        "POST", "/api/changes/check", "application/yaml", "rules:\n  - id: login\n    limts: 1\n")
                .expect(200)
                .json();
        assertThat(said.at("/errors/0/file").asString()).isEqualTo("document");
        assertThat(said.at("/errors/0/line").asLong()).isPositive();
        JsonNode emptied = api.send("POST", "/api/changes/check", "application/yaml", "rules: []")
                .expect(200)
                .json();
        assertThat(emptied.get("errors")).isEmpty();
        assertThat(emptied.at("/diff/sentences/0").asString()).isEqualTo("login: removed");
        assertThat(emptied.get("document").asString()).isEqualTo("rules: []\n");
    }

    @Test
    void whatDoesNotFitTheRulesInForceIsToldWithoutARefusal() {
        long base = release(5);
        assertThat(check("{\"remove\":\"nothing\"}").at("/errors/0/message").asString())
                .contains("the id of a rule in force");
        JsonNode same = check(ApiClient.put("login", 5));
        assertThat(same.get("errors")).isEmpty();
        assertThat(same.at("/diff/sentences")).isEmpty();
        assertThat(same.at("/checks/releasable").asBoolean()).isFalse();
        release(6);
        JsonNode late = api.post("/api/changes/check", "{\"base\":" + base + ",\"edits\":[" + text(LOGIN) + "]}")
                .expect(200)
                .json();
        assertThat(late.at("/checks/collisions/0/rule").asString()).isEqualTo("login");
    }

    @Test
    void aRequestThatIsNoChangeIsRefused() {
        for (String body : new String[] {
            "{}",
            "{\"edits\":[]}",
            "{\"edits\":7}",
            "{\"base\":9999,\"edits\":[{\"remove\":\"x\"}]}",
            "[]",
            "{\"unknown\":1}",
            "nonsense",
            "{\"edits\":[{\"remove\":\"x\"}],\"document\":\"rules: []\"}"
        }) {
            assertThat(api.post("/api/changes/check", body).status()).as(body).isEqualTo(400);
        }
        for (String edit : new String[] {
            "{\"put_text\":7}",
            "{\"put_text\":\"\"}",
            "{\"put_text\":\"- a\"}",
            "{\"put\":{},\"put_text\":\"id: a\"}",
            "7",
            "null",
            "{\"put_text\":\"&a [*a, *a]\"}",
            "{\"put_text\":\"id: {{{{{{\"}"
        }) {
            assertThat(check(edit).get("errors")).as(edit).isNotEmpty();
        }
    }

    @Test
    void whoeverBeginsToWriteARuleIsNotAccused() {
        ApiClient editor = ApiClient.person(center, "ann", Grant.of(Role.EDITOR, "acme"));
        String rows = api.get("/api/audit?actor=user:ann").expect(200).text();
        JsonNode said = editor.post("/api/changes/check", "{\"edits\":[" + text(LOGIN) + "]}")
                .expect(200)
                .json();
        assertThat(said.at("/errors/0/message").asString()).startsWith("rule login: not yours");
        assertThat(api.get("/api/audit?actor=user:ann").expect(200).text()).isEqualTo(rows);
        String mine = "tenant: acme\n" + LOGIN.replace("login", "mine");
        JsonNode own = editor.post("/api/changes/check", "{\"edits\":[" + text(mine) + "]}")
                .expect(200)
                .json();
        assertThat(own.get("errors")).isEmpty();
        assertThat(own.at("/checks/warnings/0/message").asString()).contains("could act on requests of other tenants");
    }

    /** Otherwise somebody could try out, without a trace, which ids the rules of others have. */
    @Test
    void aRuleWithTheIdOfARuleOfOthersIsInTheAuditLog() {
        release(5);
        ApiClient editor = ApiClient.person(center, "eve", Grant.of(Role.EDITOR, "acme"));
        String rows = api.get("/api/audit").text();
        assertThat(rows).doesNotContain("rule login: not yours");
        JsonNode said = editor.post("/api/changes/check", "{\"edits\":[" + text("tenant: acme\n" + LOGIN) + "]}")
                .expect(200)
                .json();
        assertThat(said.at("/errors/0/message").asString()).startsWith("rule login: not yours");
        assertThat(api.get("/api/audit").text()).contains("rule login: not yours");
    }

    @Test
    void errorsAreBoundedAndHaveTheirRule() {
        StringBuilder edits = new StringBuilder();
        for (int i = 0; i < 1_500; i++) {
            edits.append(i == 0 ? "" : ",").append(text("id: r" + i + "\nlimts: 1\n"));
        }
        JsonNode errors = check(edits.toString()).get("errors");
        assertThat(errors).hasSize(1_000);
        for (JsonNode each : errors.values()) {
            String place = each.get("file").asString();
            assertThat(each.get("rule").asString())
                    .isEqualTo("r" + place.substring(place.indexOf('[') + 1, place.indexOf(']')));
        }
        assertThat(check("7,".repeat(1_999) + "7").get("errors")).hasSize(1_000);
    }

    @Test
    void aDocumentIsComparedWithRulesThatTheCenterOnlyShows(@TempDir Path other) throws Exception {
        RuleDocument document =
                RuleDocument.parse("rules.yaml", "rules:\n" + LOGIN.indent(4).replaceFirst("    ", "  - "));
        RuleSet rules = new RuleSet(7, ((RuleDocument.Accepted) document).rules());
        try (Center shown = Center.open(PreparedCenter.in(other).showing("rules.yaml", () -> rules))) {
            ApiClient client = ApiClient.of(shown);
            for (JsonNode said : List.of(
                    client.send("POST", "/api/changes/check", "application/yaml", "rules: []")
                            .expect(200)
                            .json(),
                    client.post("/api/changes/check", "{\"document\":\"rules: []\"}")
                            .expect(200)
                            .json())) {
                assertThat(said.get("errors")).isEmpty();
                assertThat(said.at("/diff/sentences/0").asString()).isEqualTo("login: removed");
            }
        }
    }

    @Test
    void theTextOfARuleInForceCanBePutBack() {
        release(5);
        Answer rule = api.get("/api/rules/login").expect(200);
        assertThat(rule.string("text")).startsWith("id: login\nresource: /login\n");
        JsonNode said = check(text(rule.string("text").replace("limit: 5", "limit: 9")));
        assertThat(said.at("/diff/sentences")).hasSize(1);
    }

    @Test
    void manyRulesAreCheckedLikeOne() {
        int rules = SeededRandom.scaled(2_000, 10_000);
        String last = "r" + (rules - 1);
        StringBuilder document = new StringBuilder("rules:\n");
        for (int i = 0; i < rules; i++) {
            document.append("  - { id: r")
                    .append(i)
                    .append(", resource: /r")
                    .append(i)
                    .append(", methods: [GET], limits: [{ by: ip, limit: 5, window: 1m }] }\n");
        }
        long base = release(5);
        long unused = api.release(
                api.send("POST", "/api/changes?title=t&reason=r&base=" + base, "application/yaml", document.toString())
                        .expect(201));
        JsonNode said =
                check(text("id: r77\nresource: /r77\nmethods: [GET]\nlimits: [{ by: ip, limit: 6, window: 1m }]\n"));
        assertThat(said.at("/diff/sentences")).hasSize(1);
        assertThat(said.get("rules")).hasSize(1);
        assertThat(said.toString().length()).isLessThan(3_000);
        JsonNode explained = api.post(
                        "/api/explain",
                        "{\"attributes\":{\"path\":\"/r77\",\"method\":\"GET\"},\"rule\":\"" + last + "\"}")
                .expect(200)
                .json();
        assertThat(explained.get("rules")).hasSize(21);
        assertThat(explained.at("/rules/0/rule").asString()).isEqualTo("r77");
        assertThat(explained.at("/rules/1/rule").asString()).isEqualTo(last);
        assertThat(explained.get("others").asLong()).isEqualTo(rules - 21);
    }

    @Test
    void theSchemaOfRulesIsServed() {
        assertThat(api.get("/api/rules/schema")
                        .expect(200)
                        .json()
                        .at("/$defs/rule/properties/id")
                        .isMissingNode())
                .isFalse();
    }

    /** Releases the login rule alone. Returns the version. */
    private static long release(int limit) {
        long base = api.get("/api/rules").number("version");
        String document = "{\"title\":\"t\",\"reason\":\"r\",\"base\":" + base + ",\"document\":"
                + JsonMapper.shared().writeValueAsString("{\"rules\":[" + ApiClient.rule("login", limit) + "]}") + "}";
        Answer opened = api.post("/api/changes", document);
        return opened.status() == 422 ? base : api.release(opened.expect(201));
    }

    private static JsonNode check(String edits) {
        return api.post("/api/changes/check", "{\"edits\":[" + edits + "]}")
                .expect(200)
                .json();
    }

    private static String text(String rule) {
        return "{\"put_text\":" + JsonMapper.shared().writeValueAsString(rule) + "}";
    }
}
