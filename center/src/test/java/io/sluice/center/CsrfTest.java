package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.AccessTable;
import io.sluice.center.access.Endpoint;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import io.sluice.center.signin.SessionCsrf;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.core.authority.FactorGrantedAuthority;

/** A page of another site changes nothing in the browser of somebody who is signed in. */
class CsrfTest {

    private static final Set<String> READING = Set.of("GET", "HEAD");

    @TempDir
    static Path data;

    private static Center center;
    private static ApiClient api;
    private static String session;

    @BeforeAll
    static void open() throws Exception {
        center = Center.open(PreparedCenter.in(data));
        api = ApiClient.of(center);
        api.release("login", 5);
        api.open(1, "login", 6).expect(201);
        Account account = ApiClient.account(center, "ann", Grant.of(Role.ADMINISTRATOR));
        session = center.people().sessions().begin(account, FactorGrantedAuthority.PASSWORD_AUTHORITY);
    }

    @AfterAll
    static void close() {
        center.close();
    }

    @Test
    void noMutationIsEverMadeByAnotherSite() {
        Browser browser = Browser.withSession(center, session);
        Map<String, Map<String, String>> forgeries = forgeries(browser.own());
        Map<String, Long> before = rows();
        for (Endpoint endpoint : mutations()) {
            String path = path(endpoint);
            forgeries.forEach((how, headers) -> {
                Browser.Reply reply = browser.send(endpoint.method(), path, "{}", headers);
                assertThat(reply.status()).as(endpoint + " " + how).isEqualTo(403);
                assertThat(reply.header("Content-Type")).as(how).contains("application/problem+json");
            });
            assertThat(rows()).as(path).isEqualTo(before);
        }
        assertThat(mutations()).hasSizeGreaterThan(20);
        browser.get("/api/me").expect(200);
    }

    @Test
    void noMutationIsEverMadeByReading() {
        Browser browser = Browser.withSession(center, session);
        List<Pattern> readable = AccessTable.endpoints().stream()
                .filter(endpoint -> READING.contains(endpoint.method()))
                .map(endpoint -> Pattern.compile(endpoint.path().replaceAll("\\{[^/]+}", "[^/]+")))
                .toList();
        Map<String, Long> before = rows();
        for (Endpoint endpoint : mutations()) {
            for (String method : List.of("GET", "HEAD")) {
                Browser.Reply reply = browser.send(method, path(endpoint), "", Map.of());
                // A path such as /api/changes/check reads a change of that name, which does not exist.
                if (readable.stream()
                        .noneMatch(each -> each.matcher(endpoint.path()).matches())) {
                    assertThat(reply.status()).as(method + " " + endpoint).isEqualTo(403);
                }
            }
        }
        // A header that asks for another method is not obeyed.
        browser.send("GET", "/api/rollback", "", Map.of("X-HTTP-Method-Override", "POST"))
                .expect(403);
        assertThat(rows()).isEqualTo(before);
    }

    @Test
    void nobodyIsEverSignedInByAnotherSite() {
        Map<String, Long> before = rows();
        Browser stranger = Browser.of(center);
        for (Map<String, String> headers : List.of(
                Map.of("Origin", "https://evil.example", "Content-Type", "application/json"),
                Map.of("Origin", "null", "Content-Type", "application/json"),
                Map.of("Sec-Fetch-Site", "cross-site", "Content-Type", "application/json"),
                Map.of("Content-Type", "text/plain"),
                Map.of("Content-Type", "application/x-www-form-urlencoded"))) {
            stranger.send("POST", "/api/session", "{\"user\":\"ann\",\"password\":\"x\"}", headers)
                    .expect(403);
        }
        assertThat(rows()).isEqualTo(before);
    }

    /** Returns the headers of requests that other pages can cause, by name. */
    private static Map<String, Map<String, String>> forgeries(Map<String, String> own) {
        Map<String, Map<String, String>> all = new LinkedHashMap<>();
        all.put("no token", without(own, SessionCsrf.HEADER));
        all.put("no header at all", Map.of());
        all.put("wrong token", with(own, SessionCsrf.HEADER, SessionCsrf.of("another session")));
        all.put("token of nobody", with(own, SessionCsrf.HEADER, SessionCsrf.of("none")));
        all.put("wrong origin", with(own, "Origin", "https://evil.example"));
        all.put("no origin", with(own, "Origin", "null"));
        all.put("origin of another port", with(own, "Origin", "http://127.0.0.1:1"));
        all.put("another site", with(own, "Sec-Fetch-Site", "cross-site"));
        all.put("another host of the site", with(own, "Sec-Fetch-Site", "same-site"));
        all.put("text", with(own, "Content-Type", "text/plain"));
        all.put("form", with(own, "Content-Type", "application/x-www-form-urlencoded"));
        all.put("multipart", with(own, "Content-Type", "multipart/form-data; boundary=x"));
        return all;
    }

    private static Map<String, String> with(Map<String, String> headers, String name, String value) {
        Map<String, String> other = new TreeMap<>(headers);
        other.put(name, value);
        return other;
    }

    private static Map<String, String> without(Map<String, String> headers, String name) {
        Map<String, String> other = new TreeMap<>(headers);
        other.remove(name);
        return other;
    }

    private static List<Endpoint> mutations() {
        return AccessTable.endpoints().stream()
                .filter(endpoint -> !READING.contains(endpoint.method()))
                // An identity server calls it, with a signed token. No cookie counts there.
                .filter(endpoint -> !endpoint.path().equals("/sign-in/oidc/{name}/logout"))
                .toList();
    }

    private static String path(Endpoint endpoint) {
        return endpoint.path().replaceAll("\\{[^}]+}", "1").replace("/**", "/x");
    }

    /**
     * Returns how many rows each table has, and the number of the last command that acted. It leaves out what the center itself
     * fills, and the log with its tree, which tell of refusals too.
     */
    private static Map<String, Long> rows() {
        Map<String, Long> rows = center.people().database().read(client -> {
            Map<String, Long> counts = new TreeMap<>();
            client.sql("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
                            + " AND name NOT IN ('leadership', 'command', 'audit_node', 'audit_checkpoint')")
                    .query(String.class)
                    .list()
                    .forEach(table -> counts.put(
                            table,
                            client.sql("SELECT count(*) FROM " + table)
                                    .query(Long.class)
                                    .single()));
            return counts;
        });
        rows.put(
                "last command",
                api.get("/api/commands").json().get(0).get("number").asLong());
        return rows;
    }
}
