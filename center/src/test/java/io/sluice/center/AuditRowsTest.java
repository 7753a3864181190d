package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.AccessTable;
import io.sluice.center.access.Endpoint;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.access.Scope;
import io.sluice.center.people.Account;
import io.sluice.testkit.SeededRandom;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.core.authority.FactorGrantedAuthority;
import tools.jackson.databind.JsonNode;

/** Each change, sign-in and refusal is a row of the audit log: who, when, from where, what, and why. */
class AuditRowsTest {

    private static final Set<String> READING = Set.of("GET", "HEAD");

    /** They change nothing that lasts. */
    private static final Set<String> HARMLESS = Set.of(
            "POST /api/nodes/{id}/heartbeat",
            "POST /api/audit/verify",
            "POST /api/changes/check",
            "POST /api/changes/dry-run",
            "POST /api/nodes/{id}/excerpts/{question}",
            "POST /api/durable/sums",
            "POST /api/durable/restores/{store}",
            "POST /api/durable/erasures",
            "POST /api/explain",
            "POST /api/set-up/look",
            "POST /api/me/passkeys/options",
            "POST /api/session/passkey/options",
            // OidcLeaverTest has an identity server.
            "POST /sign-in/oidc/{name}/logout");

    /** The center itself writes to them at any time, or what they hold is worth nothing. */
    private static final Set<String> OWN =
            Set.of("leadership", "ceremony", "passkey_user", "audit_checkpoint", "audit_key", "node_report", "alert");

    @TempDir
    Path data;

    private SecondPerson people;
    private Center center;
    private Deeds deeds;
    private ApiClient root;

    @BeforeEach
    void open() throws Exception {
        people = SecondPerson.in(data);
        center = people.center();
        deeds = new Deeds(people);
        root = people.as("root");
    }

    @AfterEach
    void close() {
        people.close();
    }

    @Test
    void everyEndpointThatChangesSomethingIsTested() {
        Set<String> tested = new TreeSet<>(deeds.endpoints());
        tested.addAll(HARMLESS);
        assertThat(tested)
                .isEqualTo(mutations().stream()
                        .map(endpoint -> endpoint.method() + " " + endpoint.path())
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void everyChangeLeavesARow() {
        for (String endpoint : deeds.endpoints()) {
            Deeds.Deed deed = deeds.prepare(endpoint);
            long before = newest();
            Answer answer = deed.request().get();
            assertThat(answer.status()).as(endpoint + ": " + answer.text()).isBetween(200, 202);
            List<JsonNode> rows = above(before);
            assertThat(rows).as(endpoint).isNotEmpty();
            assertThat(rows).as(endpoint).anySatisfy(row -> {
                assertThat(row.get("actor").asString()).isEqualTo(deed.actor());
                assertThat(row.get("from").asString()).isEqualTo("127.0.0.1");
                assertThat(row.get("outcome").asString()).isEqualTo("done");
                assertThat(row.get("reason").asString()).isEqualTo(deed.reason());
                assertThat(row.get("at").asString())
                        .isEqualTo(people.in(Duration.ZERO).toString());
                assertThat(row.get("hash").asString()).isNotEmpty();
                assertThat(row.get("erased").asBoolean()).isFalse();
            });
            deed.after().run();
            people.clock().advance(Duration.ofMinutes(1));
        }
    }

    @Test
    void nothingIsEverDoneWithoutItsRow() {
        for (String endpoint : SeededRandom.sample(List.copyOf(deeds.endpoints()), 15)) {
            Deeds.Deed deed = deeds.prepare(endpoint);
            people.await("nothing goes on", () -> count("SELECT COUNT(*) FROM rollout WHERE state = 'releasing'") == 0);
            sql("CREATE TRIGGER broken BEFORE INSERT ON command BEGIN SELECT RAISE(ABORT, 'broken'); END");
            Map<String, List<String>> before = content();
            Answer answer = deed.request().get();
            Map<String, List<String>> after = content();
            sql("DROP TRIGGER broken");
            assertThat(answer.status()).as(endpoint + ": " + answer.text()).isGreaterThanOrEqualTo(500);
            if (endpoint.equals("POST /api/session/passkey")) {
                // The count of its uses protects from copies, also if nobody gets in.
                before.remove("passkey");
                after.remove("passkey");
            }
            assertThat(difference(before, after)).as(endpoint).isEmpty();
            deed.after().run();
            // What waits for its end would be in the way of the next one.
            people.as("root").get("/api/rollouts").expect(200).json().forEach(rollout -> {
                if (rollout.get("state").asString().equals("trial")) {
                    people.as("root")
                            .post("/api/rollouts/" + rollout.get("id").asLong() + "/abort", "{\"reason\":\"x\"}")
                            .expect(202);
                }
            });
            // All together stays below the hour after which the center removes what is too old.
            people.clock().advance(Duration.ofSeconds(40));
        }
    }

    @Test
    void everyRefusedChangeLeavesARow() {
        Account viewer = ApiClient.account(center, "viewer", Grant.of(Role.VIEWER));
        int refused = 0;
        for (Endpoint endpoint : mutations()) {
            ApiClient client = ApiClient.person(center, viewer);
            String path = endpoint.path().replaceAll("\\{[^}]+}", "4711");
            long before = newest();
            Answer answer = client.send(endpoint.method(), path, "application/json", "{}");
            people.clock().advance(Duration.ofSeconds(10));
            if (answer.status() != 403) {
                continue;
            }
            refused++;
            JsonNode row = only(above(before));
            assertThat(row.get("actor").asString()).as(path).isEqualTo("user:viewer");
            assertThat(row.get("from").asString()).isEqualTo("127.0.0.1");
            assertThat(row.get("kind").asString()).isEqualTo("request");
            assertThat(row.get("outcome").asString()).isEqualTo("refused");
            assertThat(row.at("/details/endpoint").asString()).isEqualTo(endpoint.method() + " " + endpoint.path());
            if (endpoint.path().contains("{id}")) {
                assertThat(row.at("/details/id").asLong()).isEqualTo(4711);
            }
        }
        assertThat(refused).isGreaterThan(20);
    }

    @Test
    void refusalsTellWhy() {
        Account ann = ApiClient.account(center, "late", Grant.of(Role.ADMINISTRATOR));
        ApiClient old = ApiClient.person(center, ann);
        people.clock().advance(Duration.ofMinutes(6));
        assertRefused(() -> old.post("/api/tokens", "{}").expect(403), "user:late", "no fresh factor");
        assertRefused(
                () -> new PageClient(center)
                        .signIn(center, ann)
                        .send("POST", "/api/rollback", "{}", "Origin", "https://evil.example")
                        .statusCode(),
                "user:late",
                "the request comes from another site");
        String session = center.people().sessions().begin(ann, FactorGrantedAuthority.PASSWORD_AUTHORITY);
        assertRefused(
                () -> Browser.withSession(center, session)
                        .send("POST", "/api/rollback", "{}", Map.of("Content-Type", "application/json"))
                        .expect(403),
                "user:late",
                "the CSRF token is missing or not that of the session");
        assertRefused(
                () -> ApiClient.of(center)
                        .withToken("slc_nothing")
                        .get("/api/rules")
                        .expect(401),
                "nobody",
                "the token is unknown");
        assertRefused(
                () -> ApiClient.session(center, "ended").get("/api/rules").expect(401),
                "nobody",
                "the session is unknown or has ended");
    }

    @Test
    void aSecondPersonThatIsMissingIsARefusal() {
        people.protect("guarded");
        Answer change = people.open("guarded", 6);
        long before = newest();
        people.release(people.as("ann"), change).expect(403);
        assertThat(only(above(before)).at("/details/why").asString()).contains("needs a second person");
        Answer another = people.open("root", SecondPerson.rule("guarded", 7, ""));
        long next = newest();
        people.approve("root", another).expect(403);
        JsonNode own = only(above(next));
        assertThat(own.get("outcome").asString()).isEqualTo("refused");
        assertThat(own.at("/details/why").asString()).contains("you opened or edited it");
    }

    @Test
    void aTokenThatIsRevokedExpiredOrOrphanedIsNamed() {
        Account owner = ApiClient.account(center, "owner", Grant.of(Role.VIEWER));
        String revoked = token(owner, Duration.ofDays(1));
        String expired = token(owner, Duration.ofSeconds(1));
        String orphaned = token(owner, Duration.ofDays(1));
        long id = count("SELECT MAX(id) FROM api_token");
        center.people().database().write(client -> {
            center.people().tokens().revoke(client, id - 2);
            return center.people()
                    .accounts()
                    .replace(
                            client,
                            center.people()
                                    .accounts()
                                    .find(client, owner.id())
                                    .orElseThrow()
                                    .disabled(1));
        });
        people.clock().advance(Duration.ofSeconds(2));
        assertRefused(() -> use(revoked).expect(401), "token:" + (id - 2), "the token is revoked");
        assertRefused(() -> use(expired).expect(401), "token:" + (id - 1), "the token has expired");
        assertRefused(() -> use(orphaned).expect(401), "token:" + id, "its owner is disabled");
    }

    @Test
    void aRefusedSignInNamesOnlyAccountsThatExist() {
        ApiClient.account(center, "tom", Grant.of(Role.VIEWER));
        long before = newest();
        Browser.of(center).signIn("Tom", "wrong").expect(401);
        Browser.of(center).signIn("my-secret-password", "tom").expect(401);
        Browser.of(center)
                .post("/api/set-up", "{\"link\":\"guessed-link\",\"password\":\"x\"}")
                .expect(404);
        Browser.of(center)
                .post("/api/set-up/look", "{\"link\":\"guessed-link\"}")
                .expect(404);
        List<JsonNode> rows = above(before);
        assertThat(rows).hasSize(4).allSatisfy(row -> {
            assertThat(row.get("kind").asString()).isEqualTo("sign_in");
            assertThat(row.get("outcome").asString()).isEqualTo("refused");
            assertThat(row.get("actor").asString()).isEqualTo("nobody");
            assertThat(row.get("from").asString()).isEqualTo("127.0.0.1");
        });
        assertThat(rows.get(0).at("/details/user").asString()).isEqualTo("tom");
        assertThat(rows.get(1).get("details").has("user")).isFalse();
        assertThat(rows.toString()).doesNotContain("my-secret-password", "guessed-link", "wrong\"");
    }

    @Test
    void aThrottledSignInIsARow() {
        ApiClient.account(center, "hasty", Grant.of(Role.VIEWER));
        long before = newest();
        List<Integer> answers = IntStream.range(0, 7)
                .mapToObj(i -> Browser.of(center).signIn("hasty", "wrong").status())
                .toList();
        assertThat(answers).containsExactly(401, 401, 401, 401, 401, 429, 429);
        assertThat(above(before))
                .extracting(row -> row.at("/details/why").asString())
                .contains("too many attempts");
        assertThat(above(before)).hasSize(7);
    }

    @Test
    void whatNeedsNoCredentialOrIsWrongIsNoRefusal() {
        long before = newest();
        ApiClient.nobody(center).get("/api/rules").expect(401);
        root.get("/api/nothing").expect(404);
        root.post("/api/changes", "{\"unknown\":1}").expect(400);
        assertThat(above(before)).isEmpty();
    }

    @Test
    void nobodyFloodsTheLog() {
        int refused = SeededRandom.scaled(60, 300);
        long before = newest();
        for (int i = 0; i < refused; i++) {
            ApiClient.of(center).withToken("slc_" + i).get("/api/rules").expect(401);
        }
        assertThat(above(before)).hasSize(20);
        people.await("the others are counted", () -> above(before).size() == 21);
        JsonNode more = above(before).get(20);
        assertThat(more.at("/details/more").asLong()).isEqualTo(refused - 20);
        assertThat(more.get("outcome").asString()).isEqualTo("refused");
        assertThat(more.get("kind").asString()).isEqualTo("request");
    }

    @Test
    void aChangeTellsItsDifferenceInWords() {
        String rule = "words";
        long version = people.machine().release(rule, 5);
        long before = newest();
        people.machine().release(rule, 6);
        people.machine()
                .post("/api/rollback", "{\"to\":" + version + ",\"reason\":\"too much\"}")
                .expect(202);
        List<JsonNode> rows = above(before);
        assertThat(rows)
                .extracting(row -> row.get("kind").asString())
                .containsExactly("open_change", "release_change", "roll_back");
        assertThat(rows.get(0).at("/details/diff").toString()).contains("words: limit by ip 5 per 1m → 6 per 1m");
        assertThat(rows.get(1).get("details").get("diff"))
                .isEqualTo(rows.get(0).get("details").get("diff"));
        assertThat(rows.get(2).at("/details/diff").toString()).contains("words: limit by ip 6 per 1m → 5 per 1m");
    }

    @Test
    void aLongDifferenceIsCut() {
        String edits = IntStream.range(0, 130)
                .mapToObj(i -> ApiClient.put("many" + i, 5))
                .collect(Collectors.joining(","));
        long before = newest();
        people.machine()
                .post("/api/changes", ApiClient.change(people.version(), edits))
                .expect(201);
        JsonNode details = only(above(before)).get("details");
        assertThat(details.get("diff")).hasSize(100);
        assertThat(details.get("diff_more").asLong()).isEqualTo(30);
    }

    @Test
    void accountsAndSettingsTellWhatWasBefore() {
        Account account = ApiClient.account(center, "moved", Grant.of(Role.VIEWER));
        long before = newest();
        root.put("/api/users/" + account.id(), "{\"roles\":[{\"role\":\"editor\"}],\"email\":\"new@example.com\"}")
                .expect(200);
        root.post("/api/approval-settings", "{\"raise\":3,\"reason\":\"x\"}").expect(201);
        List<JsonNode> rows = above(before);
        JsonNode user = rows.get(0).get("details");
        assertThat(user.at("/before/roles").toString()).isEqualTo("[{\"role\":\"viewer\"}]");
        assertThat(user.get("roles").toString()).isEqualTo("[{\"role\":\"editor\"}]");
        assertThat(user.toString()).doesNotContain("@example.com");
        JsonNode settings = rows.get(1).get("details");
        assertThat(settings.at("/before/raise_percent").asLong()).isEqualTo(200);
        assertThat(settings.at("/after/raise_percent").asLong()).isEqualTo(300);
    }

    @Test
    void anOverrideTellsWhatItReplacesAndNeverTheCaller() {
        people.machine().release("replaced", 5);
        String wish = "{\"rule\":\"replaced\",\"limit\":\"replaced.0\",\"caller\":{\"ip\":\"192.0.2.99\"},"
                + "\"numbers\":{\"limit\":9},\"in\":\"1h\",\"reason\":\"x\"}";
        long before = newest();
        long first = people.machine().post("/api/overrides", wish).expect(201).number("id");
        people.machine().post("/api/overrides", wish).expect(201);
        people.clock().advance(Duration.ofHours(2));
        people.await("both expire", () -> above(before).size() == 4);
        List<JsonNode> rows = above(before);
        assertThat(rows.get(0).at("/details/before/limit").asString()).contains("5");
        assertThat(rows.get(1).at("/details/before/overrides/0").asLong()).isEqualTo(first);
        assertThat(rows.get(3).get("kind").asString()).isEqualTo("end_adjustment");
        assertThat(rows.get(3).get("actor").asString()).isEqualTo("center");
        assertThat(rows.toString()).doesNotContain("192.0.2.99");
    }

    @Test
    void theLogIsFoundByAuthorKindOutcomeAndTime() {
        people.clock().advance(Duration.ofMinutes(1));
        Instant begin = people.in(Duration.ZERO);
        String rule = "found";
        people.machine().release(rule, 5);
        people.as("olga").post("/api/changes", "{}").expect(403);
        people.clock().advance(Duration.ofSeconds(30));
        Instant end = people.in(Duration.ZERO);
        people.machine().release(rule, 6);
        String span = "since=" + begin + "&until=" + end;
        assertThat(kinds(span)).containsExactly("request", "release_change", "open_change");
        assertThat(kinds(span + "&outcome=done")).containsExactly("release_change", "open_change");
        assertThat(kinds(span + "&outcome=refused&actor=user:olga")).containsExactly("request");
        assertThat(kinds(span + "&actor=token:admin&kind=open_change")).containsExactly("open_change");
        assertThat(kinds(span + "&limit=1")).containsExactly("request");
        assertThat(kinds(span + "&actor=%27%20OR%201=1--")).isEmpty();
        assertThat(kinds("since=" + end + "&limit=2")).containsExactly("release_change", "open_change");
        root.get("/api/audit?since=yesterday").expect(400);
        root.get("/api/audit?outcome=both").expect(400);
        long newest = newest();
        assertThat(root.get("/api/audit?limit=1&below=" + newest)
                        .json()
                        .get(0)
                        .get("number")
                        .asLong())
                .isEqualTo(newest - 1);
    }

    private void assertRefused(Runnable request, String actor, String why) {
        long before = newest();
        request.run();
        JsonNode row = only(above(before));
        assertThat(row.get("outcome").asString()).isEqualTo("refused");
        assertThat(row.get("actor").asString()).isEqualTo(actor);
        assertThat(row.get("from").asString()).isEqualTo("127.0.0.1");
        assertThat(row.at("/details/why").asString()).isEqualTo(why);
    }

    /** Returns the only row that is not about what the center does by itself. */
    private static JsonNode only(List<JsonNode> rows) {
        List<JsonNode> others = rows.stream()
                .filter(row -> !row.get("actor").asString().equals("center"))
                .toList();
        assertThat(others).hasSize(1);
        return others.get(0);
    }

    private static List<Endpoint> mutations() {
        return AccessTable.endpoints().stream()
                .filter(endpoint -> !READING.contains(endpoint.method()))
                .toList();
    }

    private Answer use(String token) {
        return ApiClient.of(center).withToken(token).get("/api/rules");
    }

    private String token(Account owner, Duration life) {
        return center.people()
                .database()
                .write(client -> center.people()
                        .tokens()
                        .create(
                                client,
                                owner.id(),
                                "x",
                                Set.of(Scope.READ_ONLY),
                                Optional.empty(),
                                people.in(life).toEpochMilli()))
                .secret();
    }

    private long newest() {
        return count("SELECT MAX(number) FROM command");
    }

    private List<String> kinds(String query) {
        List<String> kinds = new ArrayList<>();
        people.machine()
                .get("/api/audit?" + query)
                .expect(200)
                .json()
                .forEach(row -> kinds.add(row.get("kind").asString()));
        return kinds;
    }

    /** Returns the rows above a number, in their order. The token of the machine leaves none itself. */
    private List<JsonNode> above(long number) {
        List<JsonNode> rows = new ArrayList<>();
        people.machine().get("/api/audit?limit=200").expect(200).json().forEach(row -> {
            if (row.get("number").asLong() > number) {
                rows.add(0, row);
            }
        });
        return rows;
    }

    private long count(String sql) {
        return center.people()
                .database()
                .read(client -> client.sql(sql).query(Long.class).single());
    }

    private void sql(String text) {
        int unused = center.people().database().write(client -> client.sql(text).update());
    }

    /** Returns the rows that only one of two states has. */
    private static List<String> difference(Map<String, List<String>> before, Map<String, List<String>> after) {
        List<String> rows = new ArrayList<>();
        before.forEach((table, old) -> {
            List<String> now = new ArrayList<>(after.get(table));
            now.removeAll(old);
            now.forEach(row -> rows.add("+ " + table + " " + row));
            List<String> gone = new ArrayList<>(old);
            gone.removeAll(after.get(table));
            gone.forEach(row -> rows.add("- " + table + " " + row));
        });
        return rows;
    }

    private Map<String, List<String>> content() {
        return center.people().database().read(client -> {
            Map<String, List<String>> tables = new TreeMap<>();
            client
                    .sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
                    .query(String.class)
                    .list()
                    .stream()
                    .filter(table -> !OWN.contains(table))
                    .forEach(table -> tables.put(
                            table,
                            client.sql("SELECT * FROM " + table).query().listOfRows().stream()
                                    .filter(row -> !table.equals("counter") || !OWN.contains(row.get("name")))
                                    .map(Object::toString)
                                    .sorted()
                                    .toList()));
            return tables;
        });
    }
}
