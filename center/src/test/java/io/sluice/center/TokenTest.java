package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.Access;
import io.sluice.center.access.AccessTable;
import io.sluice.center.access.Endpoint;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Right;
import io.sluice.center.access.Role;
import io.sluice.center.access.Scope;
import io.sluice.center.database.Dump;
import io.sluice.center.people.Account;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Tokens of programs: who makes them, what they may do, and when they end. */
class TokenTest {

    private static final Set<String> ENDLESS = Set.of("/api/nodes/rules", "/api/stream");

    @TempDir
    static Path data;

    private static final ManualClock CLOCK =
            QuietClock.at(Duration.ofDays(20_000).toMillis() * 1_000);

    private static Center center;

    @BeforeAll
    static void open() throws Exception {
        center = Center.open(PreparedCenter.in(data), CLOCK);
    }

    @AfterAll
    static void close() {
        center.close();
    }

    private static ApiClient with(String secret) {
        return ApiClient.of(center).withToken(secret);
    }

    private static ApiClient.Answer make(ApiClient who, String scopes, String more) {
        return who.post("/api/tokens", "{\"name\":\"ci\",\"scopes\":" + scopes + more + "}");
    }

    private static String secret(ApiClient who, String scopes) {
        return make(who, scopes, "").expect(201).string("secret");
    }

    private static void change(Account account, List<Grant> grants, long disabledAt) {
        center.people().database().write(client -> {
            Account now = center.people().accounts().find(client, account.id()).orElseThrow();
            return center.people()
                    .accounts()
                    .replace(client, now.withGrants(grants).disabled(disabledAt));
        });
    }

    @Test
    void aTokenNeverOutlivesItsOwnersRights() {
        Account account = ApiClient.account(center, "owner", Grant.of(Role.EDITOR));
        String secret = secret(ApiClient.person(center, account), "[\"apply\"]");
        with(secret).open(0, "one", 5).expect(201);

        change(account, List.of(Grant.of(Role.VIEWER)), 0);
        with(secret).open(0, "one", 5).expect(403);
        with(secret).get("/api/rules").expect(200);

        change(account, List.of(), 0);
        with(secret).get("/api/rules").expect(403);

        change(account, List.of(Grant.of(Role.ADMINISTRATOR)), 1);
        with(secret).get("/api/rules").expect(401);
    }

    @Test
    void aTokenNeverHasMoreThanItsOwner() {
        ApiClient viewer = ApiClient.person(center, "viewer", Grant.of(Role.VIEWER));
        make(viewer, "[\"apply\"]", "").expect(403);
        make(viewer, "[\"read\",\"operate\"]", "").expect(403);
        make(viewer, "[\"node\"]", "").expect(403);
        String secret = secret(viewer, "[\"read\"]");
        with(secret).get("/api/nodes").expect(200);
        with(secret).get("/api/commands").expect(403);
        ApiClient editor = ApiClient.person(center, "editor", Grant.of(Role.EDITOR));
        make(editor, "[\"node\"]", "").expect(403);
        make(editor, "[\"operate\"]", "").expect(403);
        make(editor, "[\"apply\"]", "").expect(201);
    }

    @Test
    void aTokenIsNeverShownTwice() throws Exception {
        ApiClient admin = ApiClient.person(center, "shown", Grant.of(Role.ADMINISTRATOR));
        ApiClient.Answer made = make(admin, "[\"read\"]", "").expect(201);
        String secret = made.string("secret");
        String random = secret.substring("slc_".length());
        long id = made.get("token").get("id").asLong();

        assertThat(secret).startsWith("slc_");
        assertThat(admin.get("/api/tokens").expect(200).text())
                .contains("\"id\":" + id + ",")
                .doesNotContain(random);
        assertThat(admin.get("/api/commands").expect(200).text())
                .contains("create_token")
                .doesNotContain(random);
        ByteArrayOutputStream dump = new ByteArrayOutputStream();
        new Dump(center.people().database()).write(dump);
        String text = new String(
                new GZIPInputStream(new ByteArrayInputStream(dump.toByteArray())).readAllBytes(),
                StandardCharsets.UTF_8);
        assertThat(text).contains("\"api_token\"").doesNotContain(random);
        assertThat(admin.send("DELETE", "/api/tokens/" + id, "application/json", "")
                        .expect(200)
                        .text())
                .doesNotContain(random);
    }

    @Test
    void aTokenNeverMakesAToken() {
        ApiClient admin = ApiClient.person(center, "maker", Grant.of(Role.ADMINISTRATOR));
        String secret = secret(admin, "[\"node\",\"read\",\"apply\",\"operate\"]");

        for (ApiClient program : List.of(with(secret), ApiClient.of(center))) {
            make(program, "[\"read\"]", "").expect(403);
            program.get("/api/tokens").expect(403);
            program.send("DELETE", "/api/tokens/1", "application/json", "").expect(403);
        }
    }

    @Test
    void aFactorThatIsNotFreshMakesNoToken() {
        ApiClient admin = ApiClient.person(center, "stale", Grant.of(Role.ADMINISTRATOR));
        CLOCK.advance(Duration.ofMinutes(5).plusMillis(1));

        ApiClient.Answer refused = make(admin, "[\"read\"]", "").expect(403);

        assertThat(refused.string("title")).isEqualTo("Fresh factor needed");
        admin.get("/api/tokens").expect(200);
    }

    @Test
    void aRevokedTokenNeverWorks() {
        ApiClient owner = ApiClient.person(center, "revoker", Grant.of(Role.EDITOR));
        ApiClient other = ApiClient.person(center, "other", Grant.of(Role.EDITOR));
        ApiClient.Answer made = make(owner, "[\"read\"]", "").expect(201);
        String path = "/api/tokens/" + made.get("token").get("id").asLong();
        ApiClient program = with(made.string("secret"));
        program.get("/api/rules").expect(200);
        assertThat(owner.get("/api/tokens").json().get(0).get("used_at").isNull())
                .isFalse();

        other.send("DELETE", path, "application/json", "").expect(404);
        program.get("/api/rules").expect(200);
        owner.send("DELETE", path, "application/json", "{\"why\":\"a word that is not known\"}")
                .expect(400);
        program.get("/api/rules").expect(200);
        ApiClient.Answer revoked = owner.send(
                        "DELETE", path, "application/json", "{\"reason\":\"the program has moved\"}")
                .expect(200);

        assertThat(revoked.get("valid").asBoolean()).isFalse();
        assertThat(ApiClient.of(center).get("/api/commands").expect(200).text()).contains("the program has moved");
        program.get("/api/rules").expect(401);
        owner.send("DELETE", path, "application/json", "").expect(200);
        program.get("/api/rules").expect(401);
        assertThat(other.get("/api/tokens").json()).isEmpty();
    }

    @Test
    void anExpiredTokenNeverWorks() {
        ApiClient owner = ApiClient.person(center, "brief", Grant.of(Role.VIEWER));
        ApiClient program =
                with(make(owner, "[\"read\"]", ",\"in\":\"1h\"").expect(201).string("secret"));
        CLOCK.advance(Duration.ofMinutes(59));
        program.get("/api/rules").expect(200);

        CLOCK.advance(Duration.ofMinutes(1));

        program.get("/api/rules").expect(401);
    }

    @Test
    void aLifeIsNinetyDaysAndAtMostAYear() {
        ApiClient owner = ApiClient.person(center, "lives", Grant.of(Role.VIEWER));
        JsonNode usual = make(owner, "[\"read\"]", "").expect(201).get("token");
        assertThat(Duration.between(
                        java.time.Instant.parse(usual.get("created_at").asString()),
                        java.time.Instant.parse(usual.get("expires_at").asString())))
                .isEqualTo(Duration.ofDays(90));
        make(owner, "[\"read\"]", ",\"in\":\"366d\"").expect(201);
        for (String wrong : List.of(
                ",\"in\":\"367d\"",
                ",\"in\":\"0s\"",
                ",\"in\":\"x\"",
                ",\"until\":\"2001-01-01T00:00:00Z\"",
                ",\"until\":\"2999-01-01T00:00:00Z\"",
                ",\"in\":\"1d\",\"until\":\"2030-01-01T00:00:00Z\"",
                ",\"owner\":\"x\"")) {
            make(owner, "[\"read\"]", wrong).expect(400);
        }
        for (String wrong : List.of("[]", "null", "\"read\"", "[\"approve\"]", "[\"READ\"]", "[1]", "{}")) {
            make(owner, wrong, "").expect(400);
        }
        for (String name : List.of("", " ", "a\\u001bb", "a\\nb", "a\\u2028b", "x".repeat(101))) {
            owner.post("/api/tokens", "{\"name\":\"" + name + "\",\"scopes\":[\"read\"]}")
                    .expect(400);
        }
    }

    @Test
    void aTokenOfATenantNeverReachesAnother() {
        ApiClient admin = ApiClient.person(center, "root", Grant.of(Role.ADMINISTRATOR));
        Account account = ApiClient.account(center, "acme-admin", Grant.of(Role.TENANT_ADMINISTRATOR, "acme"));
        ApiClient acme = ApiClient.person(center, account);
        ApiClient globex = ApiClient.person(center, "globex-admin", Grant.of(Role.TENANT_ADMINISTRATOR, "globex"));

        JsonNode own = make(acme, "[\"apply\"]", "").expect(201).get("token");
        assertThat(own.get("tenant").asString()).isEqualTo("acme");
        make(acme, "[\"apply\"]", ",\"tenant\":\"globex\"").expect(403);
        make(acme, "[\"node\"]", "").expect(403);
        JsonNode bound =
                make(admin, "[\"read\"]", ",\"tenant\":\"acme\"").expect(201).get("token");
        JsonNode free = make(admin, "[\"read\"]", "").expect(201).get("token");
        make(admin, "[\"node\"]", ",\"tenant\":\"acme\"").expect(400);

        assertThat(ids(acme))
                .contains(own.get("id").asLong(), bound.get("id").asLong())
                .doesNotContain(free.get("id").asLong());
        assertThat(globex.get("/api/tokens").text()).doesNotContain("acme");
        for (JsonNode token : List.of(own, bound, free)) {
            globex.send("DELETE", "/api/tokens/" + token.get("id").asLong(), "application/json", "")
                    .expect(404);
        }
        acme.send("DELETE", "/api/tokens/" + free.get("id").asLong(), "application/json", "")
                .expect(404);
        acme.send("DELETE", "/api/tokens/" + bound.get("id").asLong(), "application/json", "")
                .expect(200);
        assertThat(ids(admin)).contains(own.get("id").asLong());

        Account both =
                ApiClient.account(center, "both", Grant.of(Role.EDITOR, "acme"), Grant.of(Role.VIEWER, "globex"));
        ApiClient person = ApiClient.person(center, both);
        make(person, "[\"read\"]", "").expect(400);
        make(person, "[\"apply\"]", ",\"tenant\":\"globex\"").expect(403);
        make(person, "[\"apply\"]", ",\"tenant\":\"acme\"").expect(201);
    }

    @Test
    void aNodesTokenOutlivesItsMakerAndDoesNothingElse() {
        Account account = ApiClient.account(center, "leaver", Grant.of(Role.ADMINISTRATOR));
        String secret = secret(ApiClient.person(center, account), "[\"node\",\"read\"]");
        with(secret).get("/api/rules").expect(200);

        change(account, List.of(Grant.of(Role.ADMINISTRATOR)), 1);

        with(secret).get("/api/rules").expect(403);
        assertThat(with(secret).post("/api/nodes/n1/heartbeat", "{}").status()).isNotIn(401, 403);
    }

    /** The table decides; this asks it about each scope of an administrator's token. */
    @Test
    void eachScopeOpensItsEndpointsAndNoOther() {
        Map<Scope, Set<Right>> expected = Map.of(
                Scope.NODE, Set.of(Right.REPORT),
                Scope.READ_ONLY, Set.of(Right.READ, Right.SEE_FLEET, Right.SEE_LOG),
                Scope.APPLY, Set.of(Right.READ, Right.SEE_FLEET, Right.EDIT, Right.RELEASE),
                Scope.OPERATE_RULES, Set.of(Right.READ, Right.SEE_FLEET, Right.OPERATE));
        ApiClient admin = ApiClient.person(center, "scopes", Grant.of(Role.ADMINISTRATOR));
        List<String> wrong = new ArrayList<>();
        for (Scope scope : Scope.values()) {
            String secret = secret(admin, "[\"" + scope.word() + "\"]");
            Access access = center.people().tokens().access(secret).orElseThrow();
            for (Endpoint endpoint : AccessTable.endpoints()) {
                boolean allowed = endpoint.isOpen()
                        || (!endpoint.isPersonal()
                                && !endpoint.isFresh()
                                && endpoint.right()
                                        .filter(expected.get(scope)::contains)
                                        .isPresent());
                if (!endpoint.isOpen() && endpoint.permits(access) != allowed) {
                    wrong.add(scope + " " + endpoint);
                }
                if (!ENDLESS.contains(endpoint.path()) && !endpoint.isOpen()) {
                    int status = with(secret)
                            .send(endpoint.method(), path(endpoint), "application/json", body(endpoint))
                            .status();
                    if ((status == 403) == allowed || status == 401) {
                        wrong.add(scope + " " + status + " " + endpoint);
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static String path(Endpoint endpoint) {
        return endpoint.path().replaceAll("\\{[a-z]+}", "999999");
    }

    /** A field that nothing knows, so that nothing happens. */
    private static String body(Endpoint endpoint) {
        return endpoint.method().equals("GET") ? "" : "{\"nothing\":1}";
    }

    private static List<Long> ids(ApiClient who) {
        List<Long> ids = new ArrayList<>();
        who.get("/api/tokens?limit=200")
                .expect(200)
                .json()
                .forEach(token -> ids.add(token.get("id").asLong()));
        return ids;
    }
}
