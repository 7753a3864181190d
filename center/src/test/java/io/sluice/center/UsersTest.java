package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who manages which accounts. */
class UsersTest {

    private static final String JSON = "application/json";

    @TempDir
    static Path data;

    private static Center center;
    private static ApiClient machine;
    private static ApiClient administrator;
    private static ApiClient acme;

    @BeforeAll
    static void open() throws Exception {
        center = Center.open(PreparedCenter.in(data));
        machine = ApiClient.of(center);
        administrator = ApiClient.person(center, "root", Grant.of(Role.ADMINISTRATOR));
        acme = ApiClient.person(center, "acme-admin", Grant.of(Role.TENANT_ADMINISTRATOR, "acme"));
    }

    @AfterAll
    static void close() {
        center.close();
    }

    @Test
    void aLinkForTheFirstAdministratorNeverOutlivesAnotherWayToBecomeOne() {
        Account viewer = ApiClient.account(center, "riser", Grant.of(Role.VIEWER));
        String first = firstLink();
        var unused = ApiClient.account(center, "other-viewer", Grant.of(Role.VIEWER));
        assertThat(isGood(first)).isTrue();
        ApiClient.of(center)
                .put("/api/users/" + viewer.id(), "{\"roles\":[{\"role\":\"administrator\"}]}")
                .expect(200);
        assertThat(isGood(first)).isFalse();
        String second = firstLink();
        var unusedToo = ApiClient.account(center, "from-a-server", Grant.of(Role.ADMINISTRATOR));
        assertThat(isGood(second)).isFalse();
    }

    private static String firstLink() {
        return center.people()
                .database()
                .write(client -> center.people().vault().link(client, 0, Duration.ofDays(1)));
    }

    private static boolean isGood(String link) {
        return center.people()
                .database()
                .read(client -> center.people().vault().look(client, link))
                .isPresent();
    }

    @Test
    void anAdministratorManagesEverybody() {
        Answer created = create(administrator, "ann", "{\"role\":\"editor\",\"labels\":{\"team\":\"a\"}}")
                .expect(201);
        assertThat(created.string("link")).contains("/set-up#");
        long id = created.number("id");
        Answer found = administrator.get("/api/users/" + id).expect(200);
        assertThat(found.get("link").isNull()).isTrue();
        assertThat(found.get("roles").toString()).isEqualTo("[{\"role\":\"editor\",\"labels\":{\"team\":\"a\"}}]");
        administrator
                .put(
                        "/api/users/" + id,
                        "{\"display_name\":\"Ann B.\",\"email\":\"Ann@Example.com\",\"roles\":[{\"role\":\"approver\"}],"
                                + "\"revision\":" + found.number("revision") + ",\"reason\":\"moved\"}")
                .expect(200);
        administrator
                .put("/api/users/" + id, "{\"display_name\":\"x\",\"revision\":" + found.number("revision") + "}")
                .expect(409);
        Account account = account("ann");
        assertThat(account.displayName()).isEqualTo("Ann B.");
        assertThat(account.identity()).isEqualTo("ann@example.com");
        assertThat(account.grants()).containsExactly(Grant.of(Role.APPROVER));
        // Another address does not make another person of her.
        administrator
                .put("/api/users/" + id, "{\"email\":\"other@example.com\"}")
                .expect(200);
        assertThat(account("ann").email()).isEqualTo("other@example.com");
        assertThat(account("ann").identity()).isEqualTo("ann@example.com");
        // Nor does no address, which would make the next one the first.
        administrator.put("/api/users/" + id, "{\"email\":\"\"}").expect(400);
        administrator.put("/api/users/" + id, "{\"email\":\" \"}").expect(400);
        administrator
                .put("/api/users/" + id, "{\"email\":\"third@example.com\"}")
                .expect(200);
        assertThat(account("ann").identity()).isEqualTo("ann@example.com");
        administrator
                .send("DELETE", "/api/users/" + id, JSON, "{\"reason\":\"left\"}")
                .expect(200);
        assertThat(administrator.get("/api/users/" + id).get("disabled").asBoolean())
                .isTrue();
        administrator.post("/api/users/" + id + "/link", "{}").expect(409);
        assertThat(machine.get("/api/commands").text())
                .contains("create_account", "change_account", "disable_account", "user:root", "moved", "left");
    }

    @Test
    void aTenantAdministratorNeverSeesOthers() {
        long other = create(administrator, "bob", "{\"role\":\"editor\",\"tenant\":\"globex\"}")
                .number("id");
        long everywhere = create(administrator, "bea", "{\"role\":\"viewer\"}").number("id");
        long both = create(
                        administrator,
                        "ben",
                        "{\"role\":\"editor\",\"tenant\":\"acme\"},{\"role\":\"viewer\",\"tenant\":\"globex\"}")
                .number("id");
        long none = create(administrator, "boo", "").number("id");
        long own = create(acme, "bud", "{\"role\":\"editor\",\"tenant\":\"acme\"}")
                .expect(201)
                .number("id");
        for (long id : List.of(other, everywhere, both, none, account("root").id(), 999L)) {
            String unknown = "user " + id + ": unknown";
            assertThat(acme.get("/api/users/" + id).expect(404).string("detail"))
                    .isEqualTo(unknown);
            acme.put("/api/users/" + id, "{\"roles\":[{\"role\":\"viewer\",\"tenant\":\"acme\"}]}")
                    .expect(404);
            acme.send("DELETE", "/api/users/" + id, JSON, "").expect(404);
            acme.post("/api/users/" + id + "/link", "{}").expect(404);
        }
        assertThat(acme.get("/api/users").expect(200).text())
                .contains("bud", "acme-admin")
                .doesNotContain("bob", "bea", "ben", "boo", "root", "globex");
        acme.get("/api/users/" + own).expect(200);
        assertThat(acme.post("/api/users/" + own + "/link", "{}").expect(201).string("link"))
                .contains("/set-up#");
        acme.send("DELETE", "/api/users/" + own, JSON, "").expect(200);
    }

    @Test
    void nobodyEverGivesRightsThatTheyDoNotHave() {
        for (String role : List.of(
                "{\"role\":\"administrator\"}",
                "{\"role\":\"viewer\"}",
                "{\"role\":\"editor\",\"labels\":{\"team\":\"a\"}}",
                "{\"role\":\"viewer\",\"tenant\":\"globex\"}",
                "{\"role\":\"tenant_administrator\",\"tenant\":\"globex\"}",
                "{\"role\":\"viewer\",\"tenant\":\"acme\"},{\"role\":\"administrator\"}")) {
            create(acme, "cay", role).expect(403);
        }
        create(acme, "cay", "").expect(400);
        for (String role : List.of("editor", "approver", "operator", "viewer", "tenant_administrator")) {
            create(acme, "cay-" + role, "{\"role\":\"" + role + "\",\"tenant\":\"acme\"}")
                    .expect(201);
        }
        long id = account("cay-viewer").id();
        acme.put("/api/users/" + id, "{\"roles\":[{\"role\":\"viewer\"}]}").expect(403);
        acme.put("/api/users/" + id, "{\"roles\":[]}").expect(400);
        acme.put("/api/users/" + id, "{\"roles\":[{\"role\":\"editor\",\"tenant\":\"acme\"}]}")
                .expect(200);
        // A typing error never widens a role to all rules.
        for (String wrong : List.of(
                "{\"role\":\"editor\",\"tennant\":\"acme\"}",
                "{\"role\":\"editor\",\"tenant\":\"\"}",
                "{\"role\":\"editor\",\"tenant\":null}",
                "{\"role\":\"editor\",\"tenant\":[\"acme\"]}",
                "{\"role\":\"editor\",\"labels\":[]}",
                "{\"role\":\"editor\",\"labels\":{\"team\":1}}",
                "{\"role\":\"king\"}",
                "{\"role\":\"administrator\",\"tenant\":\"acme\"}",
                "{\"role\":\"tenant_administrator\"}",
                "\"editor\"")) {
            create(administrator, "cyd", wrong).expect(400);
        }
    }

    @Test
    void peopleWithoutTheRightManageNobody() {
        for (Role role : List.of(Role.EDITOR, Role.APPROVER, Role.OPERATOR, Role.VIEWER)) {
            ApiClient person = ApiClient.person(center, "dee-" + role.word(), Grant.of(role));
            person.get("/api/users").expect(403);
            create(person, "dot", "{\"role\":\"viewer\"}").expect(403);
            person.put("/api/users/" + account("root").id(), "{}").expect(403);
        }
    }

    @Test
    void nobodyEverChangesTheirOwnRights() {
        long root = account("root").id();
        create(administrator, "second", "{\"role\":\"administrator\"}").expect(201);
        administrator.send("DELETE", "/api/users/" + root, JSON, "").expect(409);
        administrator
                .put("/api/users/" + root, "{\"roles\":[{\"role\":\"viewer\"}]}")
                .expect(409);
        acme.put(
                        "/api/users/" + account("acme-admin").id(),
                        "{\"roles\":[{\"role\":\"approver\",\"tenant\":\"acme\"}]}")
                .expect(409);
        machine.send("DELETE", "/api/users/" + account("second").id(), JSON, "").expect(200);
        administrator.get("/api/users").expect(200);
    }

    @Test
    void aNameIsNeverTakenTwice() {
        create(administrator, "eva", "{\"role\":\"viewer\"}").expect(201);
        create(administrator, "EVA ", "{\"role\":\"viewer\"}").expect(409);
        create(administrator, "ｅｖａ", "{\"role\":\"viewer\"}").expect(409);
        for (String name : List.of("", " ", "a b", "<script>", "x".repeat(101), "../x")) {
            create(administrator, name, "{\"role\":\"viewer\"}").expect(400);
        }
    }

    private static Answer create(ApiClient client, String name, String roles) {
        return client.post("/api/users", "{\"user\":\"" + name + "\",\"roles\":[" + roles + "]}");
    }

    private static Account account(String name) {
        return center.people()
                .database()
                .read(client -> center.people().accounts().named(client, name))
                .orElseThrow();
    }
}
