package io.sluice.center;

import static io.sluice.center.callers.Refusals.caller;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.access.Scope;
import io.sluice.center.callers.Refusals;
import io.sluice.center.people.Account;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.DataReport;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A center with the tenant acme and another one. Whatever belongs to the other, or to nobody, is marked by words that occur nowhere
 * else.
 */
final class TwoTenants {

    /** The other tenant. */
    static final String OTHER = "zqtenant";

    static final String ACME_RULE = "acme-login";
    static final String OTHER_RULE = "zqrule";

    private static final List<String> SHOWN = List.of(
            OTHER,
            OTHER_RULE,
            "zqcommon",
            "zqstrict",
            "zqguard",
            "zqname",
            "zqlabel",
            "zqvalue",
            "zqservice",
            "zqpath",
            "zqmessage",
            "zqlimit",
            "zqtitle",
            "zqreason",
            "zqnode",
            "zquser",
            "zqtoken",
            "zqmasked");

    private static final List<String> MARKS = marks();

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final ApiClient api;
    private final Map<String, String> ids = new HashMap<>();

    private TwoTenants(ApiClient api) {
        this.api = api;
    }

    /** A request; {@code ID} in its path stands for the id. */
    record Request(String method, String path, String type, String body, String id) {

        static Request get(String path) {
            return new Request("GET", path, "application/json", "", "");
        }

        Request withId(String other) {
            return new Request(method, path, type, body, other);
        }

        /** Returns a text without the id that was asked for. */
        String withoutId(String text) {
            return text.replaceAll("\\b" + Pattern.quote(id) + "\\b", "ID");
        }

        String target() {
            return path.replace("ID", id);
        }

        @Override
        public String toString() {
            return method + " " + target() + " " + body;
        }
    }

    /** What came back. */
    record Reply(int status, String headers, String body) {}

    private static List<String> marks() {
        List<String> all = new ArrayList<>(SHOWN);
        all.add("zqcaller");
        return List.copyOf(all);
    }

    List<String> shownMarks() {
        return SHOWN;
    }

    static TwoTenants in(Center center) {
        TwoTenants tenants = new TwoTenants(ApiClient.of(center));
        tenants.fill(center);
        return tenants;
    }

    private void fill(Center center) {
        Account user = ApiClient.account(center, "zquser", Grant.of(Role.TENANT_ADMINISTRATOR, OTHER));
        ids.put("user zq", Long.toString(user.id()));
        Account own = ApiClient.account(center, "member", Grant.of(Role.VIEWER, "acme"));
        ids.put("user acme", Long.toString(own.id()));
        for (Account owner : List.of(user, own)) {
            long id = center.people()
                    .database()
                    .write(client -> center.people()
                            .tokens()
                            .create(
                                    client,
                                    owner.id(),
                                    owner.equals(user) ? "zqtoken" : "robot",
                                    Set.of(Scope.READ_ONLY),
                                    Optional.of(owner.equals(user) ? OTHER : "acme"),
                                    Long.MAX_VALUE))
                    .token()
                    .id();
            ids.put("token " + (owner.equals(user) ? "zq" : "acme"), Long.toString(id));
        }
        release(
                "zqtitle common",
                "zqreason",
                put(rule("zqcommon", "", "/zqpath/all", 1_000)) + ","
                        + put("{\"id\":\"zqstrict\",\"limits\":[{\"by\":\"user\",\"limit\":1,\"window\":\"1m\"}]}"));
        for (boolean isAcme : new boolean[] {true, false}) {
            String key = isAcme ? "acme" : "zq";
            Answer released = release(title(isAcme), reason(isAcme), put(ruleOf(isAcme, 5)));
            ids.put("version " + key, Long.toString(released.number("version")));
            ids.put("rollout " + key, Long.toString(released.number("id")));
            ids.put("rule " + key, isAcme ? ACME_RULE : OTHER_RULE);
            ids.put("asset " + key, "style.css");
            ids.put("part " + key, "console.css");
            ids.put("node " + key, isAcme ? "n1" : "zqnode");
        }
        // The other tenant also has something that is scheduled, something that was withdrawn and something on trial.
        Answer later = open(false, 7);
        Instant tomorrow = Instant.now().plus(Duration.ofDays(1)).truncatedTo(ChronoUnit.SECONDS);
        api.release(later, "\"all\"", ",\"reason\":\"zqreason\",\"at\":\"" + tomorrow + "\"")
                .expect(202);
        api.post("/api/changes/" + open(false, 8).number("id") + "/withdraw", "{\"reason\":\"zqreason\"}")
                .expect(200);
        for (boolean isAcme : new boolean[] {true, false}) {
            String key = isAcme ? "acme" : "zq";
            ids.put("override " + key, Long.toString(override(isAcme)));
            ids.put("switch " + key, Long.toString(shadow(isAcme ? ACME_RULE : OTHER_RULE, isAcme)));
        }
        long unused = shadow("*", false);
        emergencies(center);
        FakeNode node = new FakeNode(api, "n1");
        var unusedReply = node.sends(refusals()).runs(1);
        long version = api.get("/api/rules").number("version");
        var unusedRefusal = new FakeNode(api, "zqnode").refuses(1, version, "rule zqrule: zqmessage");
        Answer trial = api.release(open(false, 9), "{\"tenants\":[\"zqcaller\"]}", ",\"reason\":\"zqreason\"")
                .expect(202);
        ids.put("trial zq", Long.toString(trial.number("id")));
        for (boolean isAcme : new boolean[] {true, false}) {
            ids.put(
                    "change " + (isAcme ? "acme" : "zq"),
                    Long.toString(open(isAcme, 6).number("id")));
        }
    }

    /** Returns refusals by rules of both tenants. */
    private static DataReport refusals() {
        long now = Instant.now().toEpochMilli();
        Refusals minute = new Refusals(now / 60_000);
        for (boolean isAcme : new boolean[] {true, false}) {
            String rule = isAcme ? ACME_RULE : OTHER_RULE;
            String name = isAcme ? "a****me" : "zqmasked";
            minute.add(rule, isAcme ? "acme-login.per-user" : "zqrule.zqlimit", "tenant,user", caller(name), 3)
                    .add("", "", "tenant", caller(name), 3);
        }
        return new DataReport(now, List.of(new DataBatch(1, DataBatch.Kind.CALLERS, minute.pack())), Map.of());
    }

    /** Each tenant has a protected rule, which somebody switched off without approval, and which somebody else accepted. */
    private void emergencies(Center center) {
        ApiClient quick = ApiClient.person(center, "quick", Grant.of(Role.ADMINISTRATOR));
        ApiClient second = ApiClient.person(center, "second", Grant.of(Role.ADMINISTRATOR));
        Answer protection = open("zqtitle", "zqreason", put(guard(true)) + "," + put(guard(false)));
        second.post(
                        "/api/changes/" + protection.number("id") + "/approve",
                        "{\"digest\":\"" + protection.string("digest") + "\"}")
                .expect(200);
        long unused = api.release(protection);
        for (boolean isAcme : new boolean[] {true, false}) {
            quick.post(
                            "/api/switch",
                            "{\"rule\":\"" + (isAcme ? "acme-guard" : "zqguard")
                                    + "\",\"to\":\"shadow\",\"in\":\"1h\",\"emergency\":true,\"reason\":\""
                                    + reason(isAcme) + "\"}")
                    .expect(201);
            long id = api.get("/api/emergencies").json().get(0).get("id").asLong();
            second.post("/api/emergencies/" + id + "/accept", "{\"reason\":\"" + reason(isAcme) + "\"}")
                    .expect(200);
            ids.put("emergencie " + (isAcme ? "acme" : "zq"), Long.toString(id));
        }
        api.post("/api/approval-settings", "{\"approvals\":2,\"reason\":\"zqreason\"}")
                .expect(201);
    }

    private static String guard(boolean isAcme) {
        String tenant = isAcme ? "acme" : OTHER;
        return "{\"id\":\"" + (isAcme ? "acme-guard" : "zqguard") + "\",\"protected\":true,\"tenant\":\"" + tenant
                + "\",\"match\":{\"tenant\":\"" + tenant
                + "\"},\"limits\":[{\"by\":\"user\",\"limit\":5,\"window\":\"1m\"}]}";
    }

    private static String title(boolean isAcme) {
        return isAcme ? "Acme" : "zqtitle";
    }

    private static String reason(boolean isAcme) {
        return isAcme ? "for acme" : "zqreason";
    }

    private static String put(String rule) {
        return "{\"put\":" + rule + "}";
    }

    private static String rule(String id, String more, String path, int limit) {
        return "{\"id\":\"" + id + "\"," + more + "\"resource\":\"" + path
                + "\",\"limits\":[{\"id\":\"zqlimit\",\"by\":\"ip\",\"limit\":" + limit + ",\"window\":\"1m\"}]}";
    }

    /** Returns the rule of a tenant. */
    static String ruleOf(boolean isAcme, int limit) {
        return isAcme
                ? "{\"id\":\"" + ACME_RULE + "\",\"tenant\":\"acme\",\"labels\":{\"team\":\"blue\"},"
                        + "\"match\":{\"tenant\":\"acme\"},\"limits\":[{\"id\":\"per-user\",\"by\":[\"tenant\",\"user\"],"
                        + "\"limit\":" + limit + ",\"window\":\"1m\"}]}"
                : "{\"id\":\"" + OTHER_RULE + "\",\"name\":\"zqname\",\"tenant\":\"" + OTHER
                        + "\",\"labels\":{\"zqlabel\":\"zqvalue\"},\"message\":\"zqmessage\",\"service\":\"zqservice\","
                        + "\"resource\":\"/zqpath\",\"match\":{\"tenant\":\"" + OTHER
                        + "\"},\"limits\":[{\"id\":\"zqlimit\",\"by\":[\"tenant\",\"user\"],\"limit\":" + limit
                        + ",\"window\":\"1m\"}]}";
    }

    private Answer open(boolean isAcme, int limit) {
        return open(title(isAcme), reason(isAcme), put(ruleOf(isAcme, limit)));
    }

    private Answer open(String title, String reason, String edits) {
        return api.post(
                        "/api/changes",
                        change(title, reason, api.get("/api/rules").number("version"), edits))
                .expect(201);
    }

    private static String change(String title, String reason, long base, String edits) {
        return "{\"title\":\"" + title + "\",\"reason\":\"" + reason + "\",\"base\":" + base + ",\"edits\":[" + edits
                + "]}";
    }

    private Answer release(String title, String reason, String edits) {
        return api.release(open(title, reason, edits), "\"all\"", ",\"reason\":\"" + reason + "\"")
                .expect(202);
    }

    private long override(boolean isAcme) {
        return api.post("/api/overrides", overrideOf(isAcme, ",\"in\":\"1h\",\"reason\":\"" + reason(isAcme) + "\""))
                .expect(201)
                .number("id");
    }

    private static String overrideOf(boolean isAcme, String more) {
        return "{\"rule\":\"" + (isAcme ? ACME_RULE : OTHER_RULE) + "\",\"limit\":\""
                + (isAcme ? "acme-login.per-user" : "zqrule.zqlimit") + "\",\"caller\":{\"user\":\""
                + (isAcme ? "u-1" : "zqcaller")
                + "\"},\"numbers\":{\"limit\":50}" + more + "}";
    }

    private long shadow(String rule, boolean isAcme) {
        return api.post(
                        "/api/switch",
                        "{\"rule\":\"" + rule + "\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"" + reason(isAcme)
                                + "\"}")
                .expect(201)
                .number("id");
    }

    /** Returns a request about something of one of the tenants. It is allowed to those who have the right, and changes little. */
    Request request(String endpoint, boolean isAcme) {
        String method = endpoint.substring(0, endpoint.indexOf(' '));
        String path = endpoint.substring(endpoint.indexOf(' ') + 1);
        String key = isAcme ? "acme" : "zq";
        String kind = kind(path);
        if (kind.equals("change")) {
            reopen(isAcme);
        }
        String usual = path.startsWith("/api") ? "1" : "anything";
        String id = path.contains("{") ? ids.getOrDefault(kind + " " + key, usual) : "";
        String target = path.replace("{folder}", "console").replaceAll("\\{[^}]*}", "ID")
                + (path.endsWith("/diff") ? "?to=1" : "")
                + (path.equals("/api/series") ? "?rule=" + (isAcme ? ACME_RULE : OTHER_RULE) : "")
                + (path.endsWith("/own") ? "?digest=" + "0".repeat(64) : "");
        return new Request(method, target, "application/json", body(endpoint, isAcme), id);
    }

    private static String kind(String path) {
        if (path.startsWith("/assets")) {
            return path.contains("{folder}") ? "part" : "asset";
        }
        String second = path.replaceAll("^/api/([a-z]+).*", "$1");
        return second.equals("switch") ? second : second.replaceAll("s$", "");
    }

    /** Some callers are allowed to close a change. */
    private void reopen(boolean isAcme) {
        String key = "change " + (isAcme ? "acme" : "zq");
        if (!api.get("/api/changes/" + ids.get(key)).string("state").equals("open")) {
            ids.put(key, Long.toString(open(isAcme, 6).number("id")));
        }
    }

    private String body(String endpoint, boolean isAcme) {
        long base = Long.parseLong(ids.get("version zq"));
        String content = change("another", "another", base, put(ruleOf(isAcme, 6)));
        return switch (endpoint) {
            case "POST /api/changes", "POST /api/changes/check", "POST /api/changes/dry-run" -> content;
            case "POST /api/explain" -> "{\"attributes\":{\"path\":\"/x\"}}";
            case "PUT /api/changes/{id}" -> content.replace("\"base\"", "\"revision\":99,\"base\"");
            case "POST /api/changes/{id}/rebase" -> "{\"revision\":99}";
            case "POST /api/changes/{id}/release", "POST /api/changes/{id}/approve" ->
                "{\"digest\":\"" + "0".repeat(64) + "\"}";
            case "POST /api/changes/{id}/withdraw",
                    "POST /api/changes/{id}/reject",
                    "POST /api/emergencies/{id}/accept",
                    "POST /api/emergencies/{id}/reject",
                    "POST /api/rollouts/{id}/promote",
                    "POST /api/rollouts/{id}/abort" -> "{\"reason\":\"another\"}";
            case "POST /api/rollouts/{id}/verdict" -> "{\"automatic\":false}";
            case "POST /api/rollback" -> "{\"to\":1,\"expected\":9999,\"reason\":\"another\"}";
            case "POST /api/overrides" -> overrideOf(isAcme, "");
            case "POST /api/switch" ->
                "{\"rule\":\"" + (isAcme ? ACME_RULE : OTHER_RULE) + "\",\"to\":\"shadow\",\"reason\":\"another\"}";
            case "POST /api/users" ->
                "{\"user\":\"member\",\"roles\":[{\"role\":\"viewer\",\"tenant\":\"" + (isAcme ? "acme" : OTHER)
                        + "\"}]}";
            case "PUT /api/users/{id}" -> "{\"revision\":99}";
            case "POST /api/session",
                    "POST /api/session/factor",
                    "POST /api/set-up",
                    "POST /api/set-up/look",
                    "PUT /api/me/password",
                    "POST /api/me/passkeys",
                    "POST /api/session/passkey",
                    "POST /api/approval-settings",
                    "POST /api/approval-settings/{id}/approve",
                    "POST /api/approval-settings/{id}/reject",
                    "POST /api/tokens" -> "{\"nonsense\":1}";
            default -> "";
        };
    }

    /** Returns an id that nothing has. */
    String unknownId(Request like) {
        return like.id().matches("[0-9]+") ? "99999" : "zqnothing";
    }

    /** Returns the paths of all that can be read. */
    List<String> readings() {
        List<String> paths = new ArrayList<>(List.of(
                "/api/rules",
                "/api/versions",
                "/api/changes",
                "/api/rollouts",
                "/api/overrides",
                "/api/switch",
                "/api/status",
                "/api/commands",
                "/api/nodes",
                "/api/series",
                "/api/series?rule=*&group=rule",
                "/api/series?node=zqnode",
                "/api/approval-settings",
                "/api/emergencies",
                "/api/notices",
                "/api/retention",
                "/api/users",
                "/api/tokens",
                "/api/me",
                "/api/session",
                "/api/top",
                "/api/top?by=rule",
                "/api/top?by=tenant",
                "/api/callers/" + caller("zqmasked").hash()));
        for (String key : List.of("acme", "zq")) {
            paths.add("/api/rules/" + ids.get("rule " + key));
            paths.add("/api/rules/" + ids.get("rule " + key) + "/history");
            paths.add("/api/changes/" + ids.get("change " + key));
            paths.add("/api/rollouts/" + ids.get("rollout " + key));
            paths.add("/api/users/" + ids.get("user " + key));
        }
        for (int id = 0; id <= 12; id++) {
            paths.add("/api/versions/" + id);
            paths.add("/api/versions/" + id + "/diff?to=1");
            paths.add("/api/versions/1/diff?to=" + id);
            paths.add("/api/changes/" + id);
            paths.add("/api/rollouts/" + id);
        }
        return paths;
    }

    /** Returns all that somebody of acme may try in order to learn something about the other tenant. */
    List<Request> attempts() {
        List<Request> all = new ArrayList<>();
        readings().forEach(path -> all.add(Request.get(path)));
        for (String list : List.of(
                "/api/versions", "/api/changes", "/api/rollouts", "/api/overrides", "/api/switch", "/api/top")) {
            for (String query : List.of(
                    "?below=3",
                    "?limit=1",
                    "?limit=-1",
                    "?limit=1&below=6",
                    "?limit=200&below=99999",
                    "?state=open",
                    "?state=released",
                    "?state=" + OTHER,
                    "?tenant=" + OTHER,
                    "?rule=" + OTHER_RULE,
                    "?by=user",
                    "?q=" + OTHER,
                    "?below=" + OTHER)) {
                all.add(Request.get(list + query));
            }
        }
        for (String id : List.of(OTHER_RULE, "zqcommon", "*", "%2A", "ZQRULE", "..", "zqrul", "zqrule%00", "zq%25")) {
            all.add(Request.get("/api/rules/" + id));
            all.add(Request.get("/api/rules/" + id + "/history"));
            all.add(Request.get("/api/nodes/" + id));
        }
        long base = Long.parseLong(ids.get("version zq"));
        for (String edits : List.of(
                "{\"remove\":\"zqrule\"}",
                "{\"remove\":\"zqnothing\"}",
                put(ruleOf(false, 5)),
                put(ruleOf(false, 6)),
                put(ruleOf(true, 6).replace(ACME_RULE, "zqrule")),
                put(ruleOf(true, 6).replace(ACME_RULE, "zqcommon")),
                put(ruleOf(true, 6)) + ",{\"remove\":\"zqrule\"}",
                put(ruleOf(true, 6).replace("\"tenant\":\"acme\",\"labels\"", "\"tenant\":\"elsewhere\",\"labels\"")),
                put(ruleOf(true, 6).replace(ACME_RULE, "acme-" + all.size())))) {
            for (long from : new long[] {0, 1, base}) {
                all.add(post("/api/changes", change("x", "x", from, edits)));
                all.add(post("/api/changes/check", change("x", "x", from, edits)));
                all.add(post("/api/changes/dry-run", change("x", "x", from, edits)));
                all.add(new Request(
                        "PUT",
                        "/api/changes/" + ids.get("change acme"),
                        "application/json",
                        change("x", "x", from, edits),
                        ""));
            }
        }
        for (String document : List.of(
                "rules: []",
                "rules: [{id: zqrule, limits: [{by: ip, limit: 1, window: 1m}]}]",
                "rules: [{id: acme-two, tenant: acme, match: {tenant: acme}, limits: [{by: ip, limit: 1, window: 1m}]}]",
                "rules: [{id: zqrule, tenant: acme, match: {tenant: acme}, limits: [{by: ip, limit: 1, window: 1m}]}]")) {
            for (long from : new long[] {0, 1, base}) {
                all.add(new Request(
                        "POST", "/api/changes?title=x&reason=x&base=" + from, "application/yaml", document, ""));
                all.add(new Request("POST", "/api/changes/check?base=" + from, "application/yaml", document, ""));
            }
        }
        for (String asked : List.of(
                "{}",
                "{\"attributes\":{}}",
                "{\"attributes\":{},\"rule\":\"zqrule\"}",
                "{\"attributes\":{\"path\":\"/zqpath\",\"service\":\"zqservice\",\"tenant\":\"zqtenant\"},\"rule\":\"zqcommon\"}",
                "{\"curl\":\"curl https://shop.example/x?y=1 -H 'a: b' -d c=d\",\"attributes\":{\"tenant\":\"acme\"}}")) {
            all.add(post("/api/explain", asked));
        }
        for (int id = 0; id <= 12; id++) {
            for (String act : List.of("rebase", "withdraw", "reject", "release", "approve")) {
                if (!ids.get("change acme").equals(Integer.toString(id))) {
                    all.add(post("/api/changes/" + id + "/" + act, "{}"));
                    all.add(post("/api/changes/" + id + "/" + act, "{\"digest\":\"" + "0".repeat(64) + "\"}"));
                }
            }
            for (String act : List.of("accept", "reject")) {
                all.add(post("/api/emergencies/" + id + "/" + act, "{\"reason\":\"x\"}"));
            }
            for (String act : List.of("promote", "abort", "verdict")) {
                all.add(post("/api/rollouts/" + id + "/" + act, "{\"reason\":\"x\"}"));
            }
            all.add(new Request("DELETE", "/api/overrides/" + id, "application/json", "", ""));
            all.add(new Request("DELETE", "/api/switch/" + id, "application/json", "", ""));
            all.add(post("/api/rollback", "{\"to\":" + id + ",\"reason\":\"x\"}"));
        }
        for (String body : List.of(
                "{\"user\":\"x\",\"roles\":[{\"role\":\"administrator\"}]}",
                "{\"user\":\"x\",\"roles\":[{\"role\":\"viewer\"}]}",
                "{\"user\":\"x\",\"roles\":[{\"role\":\"viewer\",\"tenant\":\"zqtenant\"}]}")) {
            all.add(post("/api/users", body));
            all.add(new Request("PUT", "/api/users/" + ids.get("user zq"), "application/json", "{}", ""));
            all.add(post("/api/users/" + ids.get("user zq") + "/link", "{}"));
        }
        all.add(post("/api/tokens", "{\"name\":\"x\",\"scopes\":[\"read\"],\"tenant\":\"elsewhere\",\"in\":\"1d\"}"));
        all.add(new Request("DELETE", "/api/tokens/" + ids.get("token zq"), "application/json", "", ""));
        for (String rule : List.of(OTHER_RULE, "zqcommon", "*", "zqnothing")) {
            all.add(post(
                    "/api/overrides",
                    overrideOf(true, ",\"in\":\"1h\",\"reason\":\"x\"").replace(ACME_RULE, rule)));
            all.add(post(
                    "/api/switch", "{\"rule\":\"" + rule + "\",\"to\":\"shadow\",\"in\":\"1h\",\"reason\":\"x\"}"));
        }
        all.add(post(
                "/api/overrides",
                overrideOf(true, ",\"in\":\"1h\",\"reason\":\"x\"").replace(".per-user", ".x")));
        for (int version = 0; version <= 9; version++) {
            all.add(post(
                    "/api/changes",
                    "{\"title\":\"x\",\"reason\":\"x\",\"base\":" + base + ",\"content_of\":" + version + "}"));
        }
        return all;
    }

    private static Request post(String path, String body) {
        return new Request("POST", path, "application/json", body, "");
    }

    /** Returns the first mark in an answer that is not in the request. */
    Optional<String> leaked(Request request, Reply reply) {
        String asked = request.toString().toLowerCase(Locale.ROOT);
        String told = (reply.headers() + reply.body()).toLowerCase(Locale.ROOT);
        return MARKS.stream()
                .filter(mark -> told.contains(mark) && !asked.contains(mark))
                .findFirst();
    }

    /** Sends a request. Of a stream that has no end, only the headers are read. */
    Reply send(ApiClient caller, Request request) {
        try {
            HttpResponse<InputStream> response = HTTP.send(
                    caller.request(request.method(), request.target(), request.type(), request.body()),
                    BodyHandlers.ofInputStream());
            try (InputStream in = response.body()) {
                boolean endless = response.headers()
                        .firstValue("Content-Type")
                        .filter(type -> type.startsWith("text/event-stream"))
                        .isPresent();
                return new Reply(
                        response.statusCode(),
                        response.headers().map().toString(),
                        endless ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
