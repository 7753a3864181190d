package io.sluice.center;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** For each endpoint that changes something: a request that does so, after all that it needs was done. */
final class Deeds {

    static final String REASON = "because of case 4711";

    private static final String WHY = "{\"reason\":\"" + REASON + "\"}";
    private static final String PASSWORD = "long enough for everybody";

    private final SecondPerson people;
    private final Center center;
    private final Map<String, Supplier<Deed>> all = new LinkedHashMap<>();
    private String hash = "";
    private int last;

    /**
     * A request that changes something.
     *
     * @param actor who sends it
     * @param reason the one in the request; empty if the request has none
     * @param after puts an end to what would be in the way of other deeds
     */
    record Deed(String actor, String reason, Supplier<Answer> request, Runnable after) {

        Deed(String actor, String reason, Supplier<Answer> request) {
            this(actor, reason, request, () -> {});
        }
    }

    Deeds(SecondPerson people) {
        this.people = people;
        this.center = people.center();
        changes();
        rollouts();
        callers();
        adjustments();
        approvals();
        accounts();
        passkeys();
        alerts();
    }

    /** Returns the endpoints, such as {@code POST /api/changes}. */
    Set<String> endpoints() {
        return all.keySet();
    }

    Deed prepare(String endpoint) {
        return all.get(endpoint).get();
    }

    private void changes() {
        all.put("POST /api/changes", () -> {
            String change =
                    ApiClient.change(people.version(), ApiClient.put(name(), 5)).replace("to test", REASON);
            ApiClient ann = people.as("ann");
            return new Deed("user:ann", REASON, () -> ann.post("/api/changes", change));
        });
        all.put("PUT /api/changes/{id}", () -> {
            String rule = name();
            Answer change = open(rule, 5);
            String edited =
                    ApiClient.change(people.version(), ApiClient.put(rule, 6)).replace("to test", REASON);
            ApiClient ann = people.as("ann");
            return new Deed("user:ann", REASON, () -> ann.put(path(change, ""), edited));
        });
        all.put("POST /api/changes/{id}/rebase", () -> {
            Answer change = open(name(), 5);
            people.machine().release(name(), 5);
            return post("ann", "", path(change, "/rebase"), "{}");
        });
        all.put("POST /api/changes/{id}/withdraw", () -> post("ann", REASON, path(open(name(), 5), "/withdraw"), WHY));
        all.put("POST /api/changes/{id}/reject", () -> post("bob", REASON, path(open(name(), 5), "/reject"), WHY));
        all.put("POST /api/changes/{id}/release", () -> {
            Answer change = open(name(), 5);
            return post(
                    "ann",
                    REASON,
                    path(change, "/release"),
                    "{\"digest\":\"" + change.string("digest") + "\",\"reason\":\"" + REASON + "\"}");
        });
        all.put("POST /api/changes/{id}/approve", () -> {
            Answer change = people.open(name(), 5);
            return post(
                    "bob",
                    REASON,
                    path(change, "/approve"),
                    "{\"digest\":\"" + change.string("digest") + "\",\"comment\":\"" + REASON + "\"}");
        });
    }

    private void alerts() {
        String silence = "{\"kind\":\"drift\",\"in\":\"1h\",\"reason\":\"" + REASON + "\"}";
        all.put("PUT /api/alerts/rules/{id}", () -> {
            String body = "{\"kind\":\"drift\",\"for\":\"2m\",\"revision\":0,\"reason\":\"" + REASON + "\"}";
            String path = "/api/alerts/rules/" + name();
            ApiClient root = people.as("root");
            return new Deed("user:root", REASON, () -> root.put(path, body));
        });
        all.put("DELETE /api/alerts/rules/{id}", () -> {
            ApiClient root = people.as("root");
            String path = "/api/alerts/rules/" + name();
            root.put(path, "{\"kind\":\"drift\",\"revision\":0,\"reason\":\"x\"}")
                    .expect(200);
            return new Deed("user:root", REASON, () -> root.send("DELETE", path, "application/json", WHY));
        });
        all.put("POST /api/alerts/silences", () -> post("olga", REASON, "/api/alerts/silences", silence));
        all.put("DELETE /api/alerts/silences/{id}", () -> {
            ApiClient olga = people.as("olga");
            long id = olga.post("/api/alerts/silences", silence).expect(201).number("id");
            return new Deed(
                    "user:olga",
                    REASON,
                    () -> olga.send("DELETE", "/api/alerts/silences/" + id, "application/json", WHY));
        });
    }

    private void rollouts() {
        all.put("POST /api/rollouts/{id}/promote", () -> post("ann", REASON, trial() + "/promote", WHY));
        all.put("POST /api/rollouts/{id}/abort", () -> post("olga", REASON, trial() + "/abort", WHY));
        all.put("POST /api/rollouts/{id}/verdict", () -> {
            String trial = trial();
            Deed deed = post("ann", REASON, trial + "/verdict", "{\"automatic\":false,\"reason\":\"" + REASON + "\"}");
            return new Deed(deed.actor(), deed.reason(), deed.request(), () -> people.as("olga")
                    .post(trial + "/abort", WHY)
                    .expect(202));
        });
        all.put("POST /api/rollback", () -> {
            long version = people.machine().release(name(), 5);
            people.machine().release(name(), 5);
            return post("olga", REASON, "/api/rollback", "{\"to\":" + version + ",\"reason\":\"" + REASON + "\"}");
        });
        all.put("POST /api/mirror/repair", () -> post("root", REASON, "/api/mirror/repair", WHY));
        all.put(
                "POST /api/erasures",
                () -> post(
                        "root",
                        REASON,
                        "/api/erasures",
                        "{\"attribute\":\"user\",\"value\":\"" + name() + "-erased\",\"reason\":\"" + REASON + "\"}"));
    }

    private void callers() {
        all.put("POST /api/callers/{hash}/reveal", () -> {
            FakeNode node = new FakeNode(people.machine(), "n1");
            var unused = node.keepsItsOwn();
            ApiClient olga = people.as("olga");
            String path = "/api/callers/" + "h".repeat(43) + "/reveal";
            return new Deed(
                    "user:olga",
                    REASON,
                    () -> node.answering(
                            () -> olga.post(path, WHY),
                            question -> Optional.of("{\"attributes\":{\"user\":\"u-17\"}}")));
        });
    }

    private void adjustments() {
        all.put("POST /api/overrides", () -> post("olga", REASON, "/api/overrides", override(released())));
        all.put("DELETE /api/overrides/{id}", () -> {
            Answer made = people.as("olga")
                    .post("/api/overrides", override(released()))
                    .expect(201);
            return delete("olga", REASON, "/api/overrides/" + made.number("id"), WHY);
        });
        all.put("POST /api/switch", () -> post("olga", REASON, "/api/switch", shadow(released())));
        all.put("DELETE /api/switch/{id}", () -> {
            Answer made =
                    people.as("olga").post("/api/switch", shadow(released())).expect(201);
            return delete("olga", REASON, "/api/switch/" + made.number("id"), WHY);
        });
    }

    private void approvals() {
        all.put("POST /api/approval-settings", () -> post("root", REASON, "/api/approval-settings", settings()));
        all.put("POST /api/approval-settings/{id}/approve", () -> {
            String path = "/api/approval-settings/" + proposal() + "/approve";
            return post("bob", REASON, path, "{\"comment\":\"" + REASON + "\"}");
        });
        all.put(
                "POST /api/approval-settings/{id}/reject",
                () -> post("bob", REASON, "/api/approval-settings/" + proposal() + "/reject", WHY));
        all.put("POST /api/emergencies/{id}/accept", () -> post("bob", REASON, emergency() + "/accept", WHY));
        all.put("POST /api/emergencies/{id}/reject", () -> post("bob", REASON, emergency() + "/reject", WHY));
    }

    private void accounts() {
        all.put(
                "POST /api/users",
                () -> post(
                        "root",
                        REASON,
                        "/api/users",
                        "{\"user\":\"" + name() + "\",\"roles\":[{\"role\":\"viewer\"}],\"reason\":\"" + REASON
                                + "\"}"));
        all.put("PUT /api/users/{id}", () -> {
            ApiClient root = people.as("root");
            String path = "/api/users/" + somebody().id();
            String edit = "{\"roles\":[{\"role\":\"editor\"}],\"reason\":\"" + REASON + "\"}";
            return new Deed("user:root", REASON, () -> root.put(path, edit));
        });
        all.put(
                "DELETE /api/users/{id}",
                () -> delete("root", REASON, "/api/users/" + somebody().id(), WHY));
        all.put(
                "POST /api/users/{id}/link",
                () -> post("root", REASON, "/api/users/" + somebody().id() + "/link", WHY));
        all.put("POST /api/tokens", () -> post("ann", "", "/api/tokens", "{\"name\":\"x\",\"scopes\":[\"apply\"]}"));
        all.put("DELETE /api/tokens/{id}", () -> {
            long id = people.as("ann")
                    .post("/api/tokens", "{\"name\":\"x\",\"scopes\":[\"apply\"]}")
                    .expect(201)
                    .json()
                    .at("/token/id")
                    .asLong();
            return delete("ann", "", "/api/tokens/" + id, "");
        });
        all.put("POST /api/session", () -> {
            Account account = withPassword();
            PageClient page = new PageClient(center);
            String body = "{\"user\":\"" + account.name() + "\",\"password\":\"" + PASSWORD + "\"}";
            return new Deed("user:" + account.name(), "", () -> page.post("/api/session", body));
        });
        all.put("POST /api/session/factor", () -> {
            Account account = withPassword();
            PageClient page = new PageClient(center).signIn(center, account);
            return new Deed(
                    "user:" + account.name(),
                    "",
                    () -> page.post("/api/session/factor", "{\"password\":\"" + PASSWORD + "\"}"));
        });
        all.put("DELETE /api/session", () -> {
            Account account = somebody();
            PageClient page = new PageClient(center).signIn(center, account);
            return new Deed("user:" + account.name(), "", () -> page.delete("/api/session"));
        });
        all.put("PUT /api/me/password", () -> {
            Account account = withPassword();
            ApiClient own = ApiClient.person(center, account);
            return new Deed(
                    "user:" + account.name(),
                    "",
                    () -> own.put("/api/me/password", "{\"password\":\"another that is long enough\"}"));
        });
        all.put("POST /api/set-up", () -> {
            Account account = somebody();
            String link = people.as("root")
                    .post("/api/users/" + account.id() + "/link", WHY)
                    .expect(201)
                    .string("link");
            PageClient page = new PageClient(center);
            return new Deed(
                    "user:" + account.name(),
                    "",
                    () -> page.post("/api/set-up", "{\"link\":\"" + link + "\",\"password\":\"" + PASSWORD + "\"}"));
        });
    }

    private void passkeys() {
        all.put("POST /api/me/passkeys", () -> {
            Account account = withPassword();
            PageClient page = new PageClient(center).signIn(center, account);
            return new Deed("user:" + account.name(), "", () -> register(page, device()));
        });
        all.put("DELETE /api/me/passkeys/{id}", () -> {
            Account account = withPassword();
            PageClient page = new PageClient(center).signIn(center, account);
            long id = register(page, device()).expect(201).number("id");
            return new Deed("user:" + account.name(), "", () -> page.delete("/api/me/passkeys/" + id));
        });
        all.put("POST /api/session/passkey", () -> {
            Account account = withPassword();
            SoftAuthenticator device = device();
            register(new PageClient(center).signIn(center, account), device).expect(201);
            PageClient page = new PageClient(center);
            return new Deed("user:" + account.name(), "", () -> use(page, device));
        });
    }

    private SoftAuthenticator device() {
        return device(center);
    }

    /** Returns all that a database on SQLite holds. */
    static String stored(Center center) {
        return center.people().database().read(client -> client
                .sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
                .query(String.class)
                .list()
                .stream()
                .map(table -> client.sql("SELECT * FROM " + table)
                        .query()
                        .listOfRows()
                        .toString())
                .collect(Collectors.joining("\n")));
    }

    /** Returns a soft authenticator for a center. */
    static SoftAuthenticator device(Center center) {
        try {
            return new SoftAuthenticator(center.publicUrl().toString(), "localhost");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    static Answer register(PageClient page, SoftAuthenticator device) {
        JsonNode options = page.post("/api/me/passkeys/options", "").expect(200).json();
        ObjectNode body = JsonMapper.shared().createObjectNode().put("label", "key");
        try {
            body.set("credential", device.create(options));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        return page.post("/api/me/passkeys", body.toString());
    }

    static Answer use(PageClient page, SoftAuthenticator device) {
        JsonNode options =
                page.post("/api/session/passkey/options", "").expect(200).json();
        try {
            return page.post(
                    "/api/session/passkey",
                    JsonMapper.shared()
                            .createObjectNode()
                            .set("credential", device.use(options))
                            .toString());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private Deed post(String who, String reason, String path, String body) {
        ApiClient client = people.as(who);
        return new Deed("user:" + who, reason, () -> client.post(path, body));
    }

    private Deed delete(String who, String reason, String path, String body) {
        ApiClient client = people.as(who);
        return new Deed("user:" + who, reason, () -> client.send("DELETE", path, "application/json", body));
    }

    private Answer open(String rule, int limit) {
        return people.as("ann").open(people.version(), rule, limit).expect(201);
    }

    private static String path(Answer change, String more) {
        return "/api/changes/" + change.number("id") + more;
    }

    private String trial() {
        String rule = released();
        Answer change = open(rule, 7);
        return "/api/rollouts/"
                + people.as("ann")
                        .release(change, "{\"callers\":\"5%\"}", "")
                        .expect(202)
                        .number("id");
    }

    private String released() {
        String rule = name();
        long unused = people.machine().release(rule, 5);
        return rule;
    }

    private static String override(String rule) {
        return "{\"rule\":\"" + rule + "\",\"limit\":\"" + rule
                + ".0\",\"caller\":{\"ip\":\"192.0.2.77\"},\"numbers\":{\"limit\":50},\"in\":\"2h\",\"reason\":\""
                + REASON + "\"}";
    }

    private static String shadow(String rule) {
        return "{\"rule\":\"" + rule + "\",\"to\":\"shadow\",\"in\":\"2h\",\"reason\":\"" + REASON + "\"}";
    }

    private long proposal() {
        return people.as("root")
                .post("/api/approval-settings", settings())
                .expect(201)
                .json()
                .at("/proposals/0/id")
                .asLong();
    }

    private String settings() {
        return "{\"expires\":\"" + (2 + ++last) + "h\",\"reason\":\"" + REASON + "\"}";
    }

    /** Begins an emergency of somebody else each time, because one who has one has to wait for its review. */
    private String emergency() {
        String rule = name();
        people.protect(rule);
        people.as("olga")
                .post(
                        "/api/switch",
                        "{\"rule\":\"" + rule + "\",\"to\":\"shadow\",\"in\":\"1h\",\"emergency\":true,\"reason\":\""
                                + REASON + "\"}")
                .expect(201);
        return "/api/emergencies/"
                + people.as("root")
                        .get("/api/emergencies")
                        .expect(200)
                        .json()
                        .get(0)
                        .get("id")
                        .asLong();
    }

    private Account somebody() {
        return ApiClient.account(center, name(), Grant.of(Role.VIEWER));
    }

    private Account withPassword() {
        Account account = somebody();
        if (hash.isEmpty()) {
            hash = center.passwords().hash(PASSWORD);
        }
        return center.people()
                .database()
                .write(client -> center.people().accounts().replace(client, account.withPassword(hash)));
    }

    private String name() {
        return "d" + ++last;
    }
}
