package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.access.Scope;
import io.sluice.center.people.Account;
import io.sluice.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What somebody with rights over one tenant can do, and never can. */
class TenantRightsTest {

    private static final String LIMITS = "\"limits\":[{\"by\":\"user\",\"limit\":5,\"window\":\"1m\"}]";

    @TempDir
    static Path data;

    private static Center center;
    private static ApiClient admin;
    private static ApiClient acme;
    private static ApiClient acmeEditor;

    @BeforeAll
    static void start() throws Exception {
        center = Center.open(PreparedCenter.in(data));
        admin = ApiClient.of(center);
        acme = ApiClient.person(center, "chief", Grant.of(Role.TENANT_ADMINISTRATOR, "acme"));
        acmeEditor = ApiClient.person(center, "writer", Grant.of(Role.EDITOR, "acme"));
        admin.release(
                open(admin, put("common", "", LIMITS), put("theirs", "globex", LIMITS), put("ours", "acme", LIMITS))
                        .expect(201));
    }

    @AfterAll
    static void stop() {
        center.close();
    }

    @Test
    void aRoleForATenantIsARightOverSomeRulesOnly() {
        Answer me = acmeEditor.get("/api/me").expect(200);
        assertThat(me.get("rights").toString()).contains("\"edit\"", "\"see_fleet\"");
        assertThat(me.get("everywhere")).isEmpty();
        acmeEditor.get("/api/nodes").expect(403);
    }

    @Test
    void aTenantReleasesItsOwnRules() {
        Answer change = open(acmeEditor, put("acme-1", "acme", LIMITS)).expect(201);
        assertThat(change.get("checks").get("releasable").asBoolean()).isTrue();
        assertThat(change.get("checks").get("warnings")).isEmpty();
        assertThat(change.get("diff").get("counts").get("added").asInt()).isEqualTo(1);
        acmeEditor.release(change);
        assertThat(acmeEditor.get("/api/rules/acme-1").expect(200).text()).contains("acme-1");
        assertThat(admin.get("/api/rules/theirs").expect(200).text()).contains("globex");
        // The first version also has rules of others, so acme does not learn who released it and why.
        JsonNode versions = acmeEditor.get("/api/versions").expect(200).json();
        assertThat(versions.get(0).get("actor").asString()).isEqualTo("user:writer");
        JsonNode first = versions.get(versions.size() - 1);
        assertThat(first.get("actor").asString() + first.get("title").asString())
                .isEmpty();
        assertThat(first.get("rules").asInt()).isEqualTo(1);
    }

    @Test
    void aDocumentReplacesOnlyTheRulesOfTheTenant() {
        ApiClient own =
                ApiClient.person(center, "yaml", new Grant(Role.EDITOR, Optional.of("acme"), Map.of("set", "a")));
        admin.release(open(admin, labelled("a-1"), labelled("a-2")).expect(201));
        long base = own.get("/api/rules").expect(200).number("version");
        assertThat(own.get("/api/rules").get("rules")).hasSize(2);
        Answer change = own.send(
                        "POST",
                        "/api/changes?title=x&reason=x&base=" + base,
                        "application/yaml",
                        "rules: [{id: a-2, tenant: acme, labels: {set: a}, match: {tenant: acme},"
                                + " limits: [{by: user, limit: 6, window: 1m}]}]")
                .expect(201);
        assertThat(change.get("diff").get("counts").toString()).isEqualTo("{\"added\":0,\"changed\":1,\"removed\":1}");
        own.release(change);
        assertThat(own.get("/api/rules").get("rules")).hasSize(1);
        admin.get("/api/rules/theirs").expect(200);
        admin.get("/api/rules/common").expect(200);
        admin.get("/api/rules/a-1").expect(404);
    }

    private static String labelled(String id) {
        return "{\"put\":{\"id\":\"" + id + "\",\"tenant\":\"acme\",\"labels\":{\"set\":\"a\"},\"match\":{\"tenant\":"
                + "\"acme\"}," + LIMITS + "}}";
    }

    @Test
    void aTenantAdministratorNeverChangesAnotherTenant() {
        String before = admin.get("/api/rules").text();
        Answer theirs = open(admin, "{\"remove\":\"theirs\"}").expect(201);
        for (ApiClient caller :
                List.of(acme, acmeEditor, token(Scope.APPLY, "acme"), token(Scope.OPERATE_RULES, "acme"))) {
            for (String edit : List.of(
                    "{\"remove\":\"theirs\"}",
                    "{\"remove\":\"common\"}",
                    "{\"remove\":\"nothing\"}",
                    put("theirs", "acme", LIMITS),
                    put("theirs", "globex", LIMITS),
                    put("common", "", LIMITS),
                    put("new", "globex", LIMITS),
                    put("new", "", LIMITS),
                    put("ours", "globex", LIMITS),
                    put("ours", "", LIMITS))) {
                open(caller, edit).expect(403);
                // Nor together with something that is allowed.
                open(caller, put("acme-2", "acme", LIMITS), edit).expect(403);
            }
            String path = "/api/changes/" + theirs.number("id");
            caller.put(path, ApiClient.change(1, put("acme-2", "acme", LIMITS))).expectNotAllowed();
            caller.post(path + "/rebase", "{}").expectNotAllowed();
            caller.post(path + "/withdraw", "{\"reason\":\"x\"}").expectNotAllowed();
            caller.post(path + "/reject", "{\"reason\":\"x\"}").expectNotAllowed();
            caller.post(path + "/release", "{\"digest\":\"" + theirs.string("digest") + "\"}")
                    .expectNotAllowed();
            caller.post("/api/rollback", "{\"to\":1,\"reason\":\"x\"}").expect(403);
            for (String rule : List.of("theirs", "common", "*", "nothing")) {
                caller.post(
                                "/api/switch",
                                "{\"rule\":\"" + rule + "\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"x\"}")
                        .expect(403);
                caller.post(
                                "/api/overrides",
                                "{\"rule\":\"" + rule + "\",\"limit\":\"" + rule
                                        + ".user\",\"caller\":{\"user\":\"u\"},"
                                        + "\"numbers\":{\"limit\":9},\"in\":\"1h\",\"reason\":\"x\"}")
                        .expect(403);
            }
        }
        assertThat(admin.get("/api/rules").text()).isEqualTo(before);
        assertThat(admin.get("/api/changes/" + theirs.number("id")).string("state"))
                .isEqualTo("open");
    }

    @Test
    void aTenantsRuleNeverActsOnOthers() {
        long version = admin.get("/api/rules").number("version");
        for (String more : List.of(
                LIMITS,
                "\"match\":{\"tenant\":\"globex\"}," + LIMITS,
                "\"match\":{\"tenant\":[\"acme\",\"globex\"]}," + LIMITS,
                "\"match\":{\"tenant\":\"*\"}," + LIMITS,
                "\"match\":{\"tenant\":\"acme*\"}," + LIMITS,
                "\"match\":{\"user\":\"acme\"}," + LIMITS,
                "\"action\":\"deny\"",
                "\"for\":\"code\",\"match\":{\"tenant\":\"acme\"}," + LIMITS,
                "\"match\":{\"tenant\":\"acme\"},\"action\":\"exempt\"")) {
            String edit = "{\"put\":{\"id\":\"wide\",\"tenant\":\"acme\"," + more + "}}";
            for (ApiClient caller : List.of(acme, acmeEditor, token(Scope.APPLY, "acme"))) {
                Answer change = open(caller, edit).expect(201);
                assertThat(change.get("checks").get("warnings").toString())
                        .contains("rule wide: could act on requests of other tenants");
                Answer refused = caller.release(change, "\"all\"", "").expect(403);
                assertThat(refused.string("detail"))
                        .contains("match: {tenant: acme}")
                        .contains("let somebody");
                caller.release(change, "{\"callers\":\"5%\"}", "").expect(403);
                caller.post("/api/changes/" + change.number("id") + "/withdraw", "{\"reason\":\"x\"}")
                        .expect(200);
            }
        }
        assertThat(admin.get("/api/rules").number("version")).isEqualTo(version);
        // Somebody with rights over all tenants may release it.
        Answer wide = open(acmeEditor, "{\"put\":{\"id\":\"wide\",\"tenant\":\"acme\"," + LIMITS + "}}")
                .expect(201);
        admin.release(wide);
        admin.release(open(admin, "{\"remove\":\"wide\"}").expect(201));
    }

    @Test
    void aLowRoleNeverShadowsDisablesOrRaises() {
        String before = admin.get("/api/rules").text();
        ApiClient viewer = ApiClient.person(center, "looker", Grant.of(Role.VIEWER));
        ApiClient approver = ApiClient.person(center, "signer", Grant.of(Role.APPROVER));
        ApiClient operator = ApiClient.person(center, "oncall", Grant.of(Role.OPERATOR));
        ApiClient acmeOperator = ApiClient.person(center, "acmecall", Grant.of(Role.OPERATOR, "acme"));
        List<String> weakening = List.of(
                put("theirs", "globex", "\"shadow\":true," + LIMITS),
                put("theirs", "globex", "\"enabled\":false," + LIMITS),
                put("theirs", "globex", LIMITS.replace("\"limit\":5", "\"limit\":1000000000")),
                put("exempt", "globex", "\"action\":\"exempt\""),
                "{\"remove\":\"theirs\"}");
        for (ApiClient caller : List.of(
                viewer,
                approver,
                operator,
                acmeOperator,
                acme,
                acmeEditor,
                token(Scope.READ_ONLY, ""),
                token(Scope.NODE, ""))) {
            for (String edit : weakening) {
                open(caller, edit).expect(403);
            }
        }
        String shadow = "{\"rule\":\"theirs\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"x\"}";
        String raised = "{\"rule\":\"theirs\",\"limit\":\"theirs.user\",\"caller\":{\"user\":\"u\"},\"numbers\":"
                + "{\"limit\":1000000000},\"in\":\"1h\",\"reason\":\"x\"}";
        for (ApiClient caller : List.of(
                viewer, approver, acmeOperator, acme, acmeEditor, token(Scope.READ_ONLY, ""), token(Scope.APPLY, ""))) {
            caller.post("/api/switch", shadow).expect(403);
            caller.post("/api/switch", shadow.replace("theirs", "*")).expect(403);
            caller.post("/api/overrides", raised).expect(403);
        }
        assertThat(admin.get("/api/rules").text()).isEqualTo(before);
        assertThat(admin.get("/api/switch").text()).doesNotContain("theirs").doesNotContain("\"*\"");
        assertThat(admin.get("/api/overrides").text()).doesNotContain("theirs");
    }

    @Test
    void anIdThatIsUsedAgainNeverShowsWhatItsFormerOwnerDid() {
        ApiClient globex = ApiClient.person(center, "globexcall", Grant.of(Role.OPERATOR, "globex"));
        ApiClient ours = ApiClient.person(center, "again", Grant.of(Role.OPERATOR, "acme"));
        admin.release(open(admin, put("again", "globex", LIMITS)).expect(201));
        Answer theirs = override(globex, "again", "their reason").expect(201);
        Answer shadow = globex.post(
                        "/api/switch",
                        "{\"rule\":\"again\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"their reason\"}")
                .expect(201);
        assertThat(globex.get("/api/overrides").text()).contains("their reason");
        assertThat(globex.get("/api/switch").text()).contains("their reason");
        admin.release(open(admin, "{\"remove\":\"again\"}").expect(201));
        admin.release(open(admin, put("again", "acme", LIMITS)).expect(201));
        // Nor does it go on for the rule of the new owner.
        for (String path : List.of("/api/overrides", "/api/switch")) {
            Await.until("the end of " + path, Duration.ofMinutes(5), () -> admin.get(path)
                    .text()
                    .contains("the rule belongs to another tenant"));
            assertThat(ours.get(path).expect(200).text()).doesNotContain("their reason");
            assertThat(globex.get(path).expect(200).text()).doesNotContain("their reason");
        }
        ours.send("DELETE", "/api/overrides/" + theirs.number("id") + "?reason=x", "application/json", "")
                .expect(404);
        ours.send("DELETE", "/api/switch/" + shadow.number("id") + "?reason=x", "application/json", "")
                .expect(404);
        Answer own = override(ours, "again", "our reason").expect(201);
        assertThat(ours.get("/api/overrides").text()).contains("our reason").doesNotContain("their reason");
        ours.send("DELETE", "/api/overrides/" + own.number("id") + "?reason=x", "application/json", "")
                .expect(200);
        admin.release(open(admin, "{\"remove\":\"again\"}").expect(201));
    }

    @Test
    void oneTenantNeverUsesUpTheAdjustmentsOfOthers() {
        ApiClient ours = ApiClient.person(center, "many", Grant.of(Role.OPERATOR, "initech"));
        ApiClient others = ApiClient.person(center, "few", Grant.of(Role.OPERATOR, "hooli"));
        admin.release(open(admin, put("many", "initech", LIMITS), put("few", "hooli", LIMITS))
                .expect(201));
        String shadow = "{\"rule\":\"many\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"x\"}";
        for (int i = 0; i < 100; i++) {
            override(ours, "many", "x").expect(201);
        }
        assertThat(override(ours, "many", "x").expect(409).string("detail")).contains("100 of your tenant");
        for (int i = 0; i < 20; i++) {
            ours.post("/api/switch", shadow).expect(201);
        }
        assertThat(ours.post("/api/switch", shadow).expect(409).string("detail"))
                .contains("20 of your tenant");
        override(others, "few", "x").expect(201);
        others.post("/api/switch", shadow.replace("many", "few")).expect(201);
        override(admin, "many", "x").expect(201);
        admin.post("/api/switch", shadow).expect(201);
    }

    private static Answer override(ApiClient caller, String rule, String reason) {
        return caller.post(
                "/api/overrides",
                "{\"rule\":\"" + rule + "\",\"limit\":\"" + rule + ".0\",\"caller\":{\"user\":\"u\"},\"numbers\":"
                        + "{\"limit\":9},\"in\":\"1h\",\"reason\":\"" + reason + "\"}");
    }

    @Test
    void anotherActorsNameNeverCounts() {
        Account account = ApiClient.account(center, "eve", Grant.of(Role.EDITOR), Grant.of(Role.OPERATOR));
        ApiClient eve = ApiClient.person(center, account)
                .with(
                        "X-User", "ann",
                        "X-Forwarded-User", "ann",
                        "X-Remote-User", "ann",
                        "X-Actor", "user:ann",
                        "From", "ann@example.com");
        for (String field : List.of("actor", "author", "by", "user", "identity")) {
            String wrong = ApiClient.change(1, put("eve-1", "", LIMITS))
                    .replace("{\"title\"", "{\"" + field + "\":\"user:ann\",\"title\"");
            eve.post("/api/changes", wrong).expect(400);
        }
        Answer change = eve.send(
                        "POST",
                        "/api/changes?actor=user:ann&author=user:ann&user=ann",
                        "application/json",
                        ApiClient.change(admin.get("/api/rules").number("version"), put("eve-1", "", LIMITS)))
                .expect(201);
        assertThat(change.string("author")).isEqualTo("user:eve");
        long version = eve.release(change);
        assertThat(admin.get("/api/versions/" + version)
                        .json()
                        .at("/version/actor")
                        .asString())
                .isEqualTo("user:eve");
        eve.post(
                        "/api/switch?actor=user:ann",
                        "{\"rule\":\"eve-1\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"x\",\"actor\":\"user:ann\"}")
                .expect(400);
        Answer made = eve.post(
                        "/api/switch?actor=user:ann",
                        "{\"rule\":\"eve-1\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"x\"}")
                .expect(201);
        assertThat(made.string("actor")).isEqualTo("user:eve");
        String path = "/api/switch/" + made.number("id") + "?reason=x&actor=user:ann";
        assertThat(eve.send("DELETE", path, "application/json", "").expect(200).string("ended_by"))
                .isEqualTo("user:eve");
        Answer log = admin.get("/api/commands?limit=200").expect(200);
        assertThat(log.text()).contains("user:eve").doesNotContain("user:ann");
    }

    private static Answer open(ApiClient caller, String... edits) {
        return caller.post(
                "/api/changes", ApiClient.change(admin.get("/api/rules").number("version"), String.join(",", edits)));
    }

    private static String put(String id, String tenant, String more) {
        return "{\"put\":{\"id\":\"" + id + "\","
                + (tenant.isEmpty() ? "" : "\"tenant\":\"" + tenant + "\",\"match\":{\"tenant\":\"" + tenant + "\"},")
                + more + "}}";
    }

    private static ApiClient token(Scope scope, String tenant) {
        long owner = center.people()
                .database()
                .read(client -> center.people().accounts().named(client, "owner"))
                .orElseGet(() -> ApiClient.account(center, "owner", Grant.of(Role.ADMINISTRATOR)))
                .id();
        return admin.withToken(center.people()
                .database()
                .write(client -> center.people()
                        .tokens()
                        .create(
                                client,
                                owner,
                                scope.word(),
                                Set.of(scope),
                                tenant.isEmpty() ? Optional.empty() : Optional.of(tenant),
                                Long.MAX_VALUE))
                .secret());
    }
}
