package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import io.sluice.center.refusal.RefusedException;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.core.authority.FactorGrantedAuthority;

/** Local accounts: signing in, one-time links, sessions and their end. */
class SignInTest {

    private static final String PASSWORD = "correct horse battery";
    private static final String OTHER = "another horse battery";

    @TempDir
    static Path data;

    private static ManualClock clock;
    private static Center center;
    private static String hash;

    @BeforeAll
    static void open() throws Exception {
        clock = QuietClock.at(Clock.system().epochMicros());
        center = StagedCenter.open(PreparedCenter.in(data), clock);
        hash = center.passwords().hash(PASSWORD);
    }

    @AfterAll
    static void close() {
        center.close();
    }

    @BeforeEach
    void forgetAttempts() {
        clock.advance(Duration.ofMinutes(10));
    }

    @Test
    void aPersonSignsInAndOut() {
        person("ann", Role.EDITOR);
        Browser browser = Browser.of(center);
        assertThat(browser.get("/api/session").json().get("signed_in").asBoolean())
                .isFalse();
        Browser.Reply reply = browser.signIn("Ann", PASSWORD).expect(200);
        assertThat(reply.json().get("user").asString()).isEqualTo("ann");
        assertThat(reply.header("Set-Cookie").orElseThrow())
                .contains("HttpOnly", "SameSite=Lax", "Path=/")
                .doesNotContain("Max-Age");
        assertThat(browser.get("/api/session").json().get("csrf"))
                .isEqualTo(reply.json().get("csrf"));
        var me = browser.get("/api/me").expect(200).json();
        assertThat(me.get("roles").toString()).isEqualTo("[{\"role\":\"editor\"}]");
        assertThat(me.get("rights").toString()).isEqualTo("[\"read\",\"edit\",\"release\",\"see_fleet\"]");
        assertThat(me.get("everywhere")).isEqualTo(me.get("rights"));
        assertThat(me.get("factors").get(0).get("factor").asString()).isEqualTo("password");
        assertThat(me.get("fresh").asBoolean()).isTrue();
        String id = browser.session();
        browser.send("DELETE", "/api/session", "").expect(200);
        assertThat(browser.session()).isEmpty();
        browser.get("/api/me").expect(401);
        Browser.withSession(center, id).get("/api/me").expect(401);
    }

    @Test
    void aStolenSessionNeverOutlivesLogout() {
        Browser victim = signedIn("lou", Role.VIEWER);
        Browser thief = Browser.withSession(center, victim.session());
        thief.get("/api/rules").expect(200);
        victim.send("DELETE", "/api/session", "").expect(200);
        thief.get("/api/rules").expect(401);
    }

    @Test
    void aStolenSessionNeverOutlivesARoleChange() {
        Browser victim = signedIn("rob", Role.EDITOR);
        Browser thief = Browser.withSession(center, victim.session());
        thief.get("/api/rules").expect(200);
        ApiClient.of(center)
                .put("/api/users/" + account("rob").id(), "{\"roles\":[{\"role\":\"viewer\"}]}")
                .expect(200);
        thief.get("/api/rules").expect(401);
        victim.get("/api/rules").expect(401);
    }

    @Test
    void aStolenSessionNeverOutlivesAPasswordChange() {
        Browser victim = signedIn("pia", Role.EDITOR);
        Browser thief = Browser.withSession(center, victim.session());
        victim.send("PUT", "/api/me/password", "{\"password\":\"" + OTHER + "\"}")
                .expect(200);
        thief.get("/api/rules").expect(401);
        victim.get("/api/rules").expect(200);
        Browser.of(center).signIn("pia", PASSWORD).expect(401);
        Browser.of(center).signIn("pia", OTHER).expect(200);
    }

    @Test
    void aSignInThatBeganBeforeAPasswordChangeNeverEndsAfterIt() {
        person("sam", Role.VIEWER);
        Account before = account("sam");
        center.people().database().write(client -> center.people().accounts().replace(client, before.withPassword("")));
        assertThatThrownBy(() -> ApiClient.session(
                        center, center.people().sessions().begin(before, FactorGrantedAuthority.PASSWORD_AUTHORITY)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("changed in the meantime");
    }

    @Test
    void aStolenSessionNeverOutlivesItsAccount() {
        Browser victim = signedIn("dan", Role.EDITOR);
        ApiClient.of(center)
                .send("DELETE", "/api/users/" + account("dan").id(), "application/json", "{\"reason\":\"left\"}")
                .expect(200);
        victim.get("/api/rules").expect(401);
        Browser.of(center).signIn("dan", PASSWORD).expect(401);
    }

    @Test
    void aSessionNeverOutlivesItsTime() {
        Browser idle = signedIn("ian", Role.VIEWER);
        clock.advance(Duration.ofMinutes(119));
        idle.get("/api/me").expect(200);
        clock.advance(Duration.ofMinutes(121));
        idle.get("/api/me").expect(401);
        // The page asks who is signed in, and loses the cookie, which would otherwise get in the way of signing in.
        idle.get("/api/session").expect(200);
        assertThat(idle.session()).isEmpty();
        Browser busy = Browser.of(center);
        busy.signIn("ian", PASSWORD).expect(200);
        for (int hour = 1; hour < 12; hour++) {
            clock.advance(Duration.ofHours(1));
            busy.get("/api/me").expect(200);
        }
        clock.advance(Duration.ofMinutes(61));
        busy.get("/api/me").expect(401);
        long id = account("ian").id();
        Await.until(
                "the rows are removed",
                Duration.ofMinutes(5),
                () -> center.people().database().read(client -> client.sql(
                                        "SELECT count(*) FROM session WHERE account = ?")
                                .param(id)
                                .query(Long.class)
                                .single())
                        == 0);
    }

    @Test
    void anIdFromBeforeSigningInIsNeverWorthAnything() {
        person("fay", Role.VIEWER);
        String planted = "A".repeat(43);
        Browser victim = Browser.withSession(center, planted);
        victim.signIn("fay", PASSWORD).expect(200);
        assertThat(victim.session()).isNotEqualTo(planted);
        Browser.withSession(center, planted).get("/api/me").expect(401);
        // Also the id of a real session, which the attacker planted to see what happens in it.
        Browser attacker = signedIn("eve", Role.VIEWER);
        String own = attacker.session();
        Browser second = Browser.withSession(center, own);
        second.signIn("fay", PASSWORD).expect(200);
        assertThat(second.session()).isNotEqualTo(own);
        attacker.get("/api/me").expect(401);
        // A step up changes the id as well.
        String before = second.session();
        second.post("/api/session/factor", "{\"password\":\"" + PASSWORD + "\"}")
                .expect(200);
        assertThat(second.session()).isNotEqualTo(before);
        Browser.withSession(center, before).get("/api/me").expect(401);
        second.get("/api/me").expect(200);
    }

    @Test
    void anUnknownUserNeverCostsLessThanAKnownOne() {
        person("kim", Role.VIEWER);
        person("kit", Role.VIEWER);
        ApiClient.of(center).send("DELETE", "/api/users/" + account("kit").id(), "application/json", "");
        ApiClient.account(center, "kay", Grant.of(Role.VIEWER));
        List<String> answers = new ArrayList<>();
        List<Map<String, String>> headers = new ArrayList<>();
        for (String name : List.of("nobody", "kim", "kit", "kay", "no such name !", "' OR 1=1 --")) {
            long before = center.passwords().computations();
            Browser.Reply reply = Browser.of(center).signIn(name, OTHER).expect(401);
            assertThat(center.passwords().computations() - before).as(name).isEqualTo(1);
            answers.add(reply.text());
            reply.headers().remove("Date");
            headers.add(reply.headers());
        }
        assertThat(answers).containsOnly(answers.get(0));
        assertThat(headers).containsOnly(headers.get(0));
        long before = center.passwords().computations();
        Browser.of(center).signIn("kim", PASSWORD).expect(200);
        assertThat(center.passwords().computations() - before).isEqualTo(1);
    }

    @Test
    void guessingNeverGoesOnAtFullSpeed() {
        person("gus", Role.VIEWER);
        for (int guess = 1; guess <= 5; guess++) {
            Browser.of(center).signIn("gus", "guess number " + guess).expect(401);
        }
        long before = center.passwords().computations();
        Browser.Reply refused = Browser.of(center).signIn("GUS ", PASSWORD).expect(429);
        assertThat(refused.header("Content-Type")).contains("application/problem+json");
        long seconds = Long.parseLong(refused.header("Retry-After").orElseThrow());
        assertThat(seconds).isBetween(1L, 60L);
        for (String spelling : List.of("g\u00ADus", "gu\u200Bs", "gus\u0338")) {
            Browser.of(center).signIn(spelling, PASSWORD).expect(400);
        }
        // An unknown name is refused in the same way.
        for (int guess = 1; guess <= 5; guess++) {
            Browser.of(center).signIn("gas", "guess number " + guess).expect(401);
        }
        assertThat(Browser.of(center).signIn("gas", PASSWORD).expect(429).text())
                .isEqualTo(refused.text());
        assertThat(center.passwords().computations() - before).isEqualTo(5);
        // Nobody is locked out for long.
        clock.advance(Duration.ofSeconds(seconds));
        Browser.of(center).signIn("gus", PASSWORD).expect(200);
    }

    @Test
    void signingInIsNeverCountedAsGuessing() {
        person("sue", Role.VIEWER);
        for (int time = 1; time <= 6; time++) {
            Browser.of(center).signIn("sue", PASSWORD).expect(200);
        }
    }

    @Test
    void anOldFactorIsPresentedAgain() {
        Browser browser = signedIn("ola", Role.VIEWER);
        clock.advance(Duration.ofMinutes(6));
        assertThat(browser.get("/api/me").json().get("fresh").asBoolean()).isFalse();
        String change = "{\"password\":\"" + OTHER + "\"}";
        browser.send("PUT", "/api/me/password", change).expect(403);
        browser.post("/api/session/factor", "{\"password\":\"not the password\"}")
                .expect(401);
        browser.send("PUT", "/api/me/password", change).expect(403);
        browser.post("/api/session/factor", "{\"password\":\"" + PASSWORD + "\"}")
                .expect(200);
        browser.send("PUT", "/api/me/password", change).expect(200);
    }

    @Test
    void aWeakPasswordIsRefused() {
        Browser browser = signedIn("wilhelmina-w", Role.VIEWER);
        for (String weak :
                List.of("", "short", "aaaaaaaaaaaaaaaa", "Wilhelmina-W", "x".repeat(100) + "yz".repeat(51))) {
            browser.send("PUT", "/api/me/password", "{\"password\":\"" + weak + "\"}")
                    .expect(400);
        }
        Browser.of(center).signIn("wilhelmina-w", PASSWORD).expect(200);
    }

    @Test
    void aLinkNeverWorksTwice() throws Exception {
        String secret = link("lea", Role.VIEWER);
        assertThat(Browser.of(center)
                        .post("/api/set-up/look", "{\"link\":\"" + secret + "\"}")
                        .expect(200)
                        .json()
                        .get("user")
                        .asString())
                .isEqualTo("lea");
        // What is refused does not use the link.
        Browser.of(center)
                .post("/api/set-up", "{\"link\":\"" + secret + "\",\"password\":\"short\"}")
                .expect(400);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                String body = "{\"link\":\"" + secret + "\",\"password\":\"the password of " + i + "\"}";
                calls.add(() -> Browser.of(center).post("/api/set-up", body).status());
            }
            List<Integer> results = new ArrayList<>();
            for (Future<Integer> call : threads.invokeAll(calls)) {
                results.add(call.get());
            }
            assertThat(results).containsExactlyInAnyOrder(200, 404, 404, 404);
            int winner = results.indexOf(200);
            Browser.of(center).signIn("lea", "the password of " + winner).expect(200);
        } finally {
            threads.shutdownNow();
        }
        Browser.of(center)
                .post("/api/set-up/look", "{\"link\":\"" + secret + "\"}")
                .expect(404);
    }

    @Test
    void aLinkNeverOutlivesADay() {
        String old = link("leo", Role.VIEWER);
        clock.advance(Duration.ofHours(24));
        Browser.of(center)
                .post("/api/set-up", "{\"link\":\"" + old + "\",\"password\":\"" + PASSWORD + "\"}")
                .expect(404);
        // A new link makes those before it void, and so do a new password and the end of the account.
        String first = newLink("leo");
        String second = newLink("leo");
        look(first).expect(404);
        look(second).expect(200);
        ApiClient.of(center).put("/api/users/" + account("leo").id(), "{\"disabled\":true}");
        look(second).expect(404);
        ApiClient.of(center).put("/api/users/" + account("leo").id(), "{\"disabled\":false}");
        look(second).expect(404);
    }

    @Test
    void secretsAreNeverStoredOrLogged() throws Exception {
        String secret = link("ned", Role.VIEWER);
        Browser browser = Browser.of(center);
        browser.post("/api/set-up", "{\"link\":\"" + secret + "\",\"password\":\"" + PASSWORD + "\"}")
                .expect(200);
        String unused = newLink("ned");
        StringBuilder all = new StringBuilder();
        for (String file : List.of("center.db", "center.db-wal")) {
            if (Files.exists(data.resolve(file))) {
                all.append(new String(
                        Files.readAllBytes(data.resolve(file)), java.nio.charset.StandardCharsets.ISO_8859_1));
            }
        }
        assertThat(all.toString())
                .contains("$argon2id$v=19$m=")
                .doesNotContain(PASSWORD, secret, unused, browser.session());
        assertThat(ApiClient.of(center).get("/api/commands").text())
                .contains("set_up_account", "sign_in", "make_link")
                .doesNotContain("argon2", PASSWORD, secret, unused, browser.session());
    }

    /** The center of the tests above has hashes that take less time. */
    @Test
    void hashesNeedTheirTimeAndMemory(@TempDir Path other) throws Exception {
        try (Center full = Center.open(PreparedCenter.in(other))) {
            assertThat(full.passwords().hash(PASSWORD)).startsWith("$argon2id$v=19$m=19456,t=2,p=1$");
        }
    }

    private static void person(String name, Role role) {
        Account account = ApiClient.account(center, name, Grant.of(role));
        center.people()
                .database()
                .write(client -> center.people().accounts().replace(client, account.withPassword(hash)));
    }

    private static Browser signedIn(String name, Role role) {
        person(name, role);
        Browser browser = Browser.of(center);
        browser.signIn(name, PASSWORD).expect(200);
        return browser;
    }

    private static Account account(String name) {
        return center.people()
                .database()
                .read(client -> center.people().accounts().named(client, name))
                .orElseThrow();
    }

    /** Creates an account and returns the secret of its link. */
    private static String link(String name, Role role) {
        return secret(ApiClient.of(center)
                .post("/api/users", "{\"user\":\"" + name + "\",\"roles\":[{\"role\":\"" + role.word() + "\"}]}")
                .expect(201)
                .string("link"));
    }

    private static String newLink(String name) {
        return secret(ApiClient.of(center)
                .post("/api/users/" + account(name).id() + "/link", "{}")
                .expect(201)
                .string("link"));
    }

    private static String secret(String link) {
        assertThat(link).startsWith(center.publicUrl() + "/set-up#");
        return link.substring(link.indexOf('#') + 1);
    }

    private static Browser.Reply look(String secret) {
        return Browser.of(center).post("/api/set-up/look", "{\"link\":\"" + secret + "\"}");
    }
}
