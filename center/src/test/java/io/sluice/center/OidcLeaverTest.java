package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.people.Account;
import io.sluice.center.signin.settings.MappedRole;
import io.sluice.center.signin.settings.OidcServer;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** People who leave a provider with OpenID Connect, and what they had here. */
class OidcLeaverTest {

    private static final Duration A_MINUTE = Duration.ofMinutes(1);
    private static final String EVENT = "http://schemas.openid.net/event/backchannel-logout";

    /** ID tokens have the time of the machine. */
    private static final ManualClock CLOCK = QuietClock.at(Clock.system().epochMicros());

    private static OidcTestServer server;
    private static Center center;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        server = OidcTestServer.open();
        Path secret = Files.writeString(directory.resolve("secret"), OidcTestServer.SECRET + "\n");
        OidcServer settings = new OidcServer(
                "corp",
                "Corp",
                server.issuer(),
                "sluice",
                secret,
                OidcServer.DEFAULT_SCOPES,
                Set.of(),
                Optional.empty(),
                OidcServer.Claims.USUAL,
                List.of(MappedRole.of("sre", "operator"), MappedRole.of("viewers", "viewer")));
        center = Center.open(
                PreparedCenter.in(directory.resolve("data"))
                        .signIn(SignInSettings.LOCAL.withServers(List.of(settings), List.of())),
                CLOCK);
    }

    @AfterAll
    static void stop() {
        center.close();
        server.close();
    }

    @Test
    void aTokenOfSomebodyWithARefreshTokenHasTheRolesThatTheProviderNames() throws Exception {
        server.refreshingClient(center.publicUrl(), "corp");
        person("mover", Map.of(), "sre");
        OidcBrowser browser = signIn("mover");
        ApiClient.Answer made = token(browser);
        assertThat(made.get("rests_at").isNull()).isTrue();
        ApiClient token = ApiClient.of(center).withToken(made.string("secret"));
        token.get("/api/rules").expect(200);
        assertThat(stored("mover")).isNotEmpty();
        SoftAuthenticator device = new SoftAuthenticator(center.publicUrl().toString(), "localhost");
        ApiClient.Answer added = device.addTo(new PageClient(center).signIn(center, account("mover")), "key")
                .expect(201);
        assertThat(added.get("rests_at").isNull()).isTrue();
        device.signIn(new PageClient(center)).expect(200);

        person("mover", Map.of());
        CLOCK.advance(Duration.ofMinutes(6));
        becomes(401, () -> token.get("/api/rules").status());
        device.signIn(new PageClient(center)).expect(401);
        assertThat(browser.status("/api/rules")).isEqualTo(401);
        assertLogged("the claim groups is missing or has no text; claims that came: ");

        // Away is not gone: the confirmation of the last answer holds.
        person("mover", Map.of(), "viewers");
        CLOCK.advance(Duration.ofMinutes(6));
        becomes(200, () -> token.get("/api/rules").status());
        server.stop();
        CLOCK.advance(Duration.ofMinutes(6));
        token.get("/api/rules").expect(200);

        // A provider that no longer knows the refresh token does not vouch any more.
        server.start();
        CLOCK.advance(Duration.ofMinutes(6));
        becomes(401, () -> token.get("/api/rules").status());
        assertThat(account("mover").grants()).isNotEmpty();
        assertThat(stored("mover")).isEmpty();
        assertLogged("account_suspended", "corp refuses to confirm this person");

        server.refreshingClient(center.publicUrl(), "corp");
        person("mover", fresh(), "viewers");
        OidcBrowser unused = signIn("mover");
        token.get("/api/rules").expect(200);
    }

    @Test
    void aTokenWithoutARefreshTokenRestsAfterADay() {
        server.client(center.publicUrl(), "corp");
        person("daily", fresh(), "viewers");
        ApiClient.Answer made = token(signIn("daily"));
        assertThat(Instant.parse(made.string("rests_at")))
                .isEqualTo(Instant.ofEpochMilli(CLOCK.epochMicros() / 1000).plus(Duration.ofDays(1)));
        ApiClient token = ApiClient.of(center).withToken(made.string("secret"));
        CLOCK.advance(Duration.ofHours(23));
        token.get("/api/rules").expect(200);
        CLOCK.advance(Duration.ofHours(1));
        token.get("/api/rules").expect(401);
        assertLogged("corp has not confirmed the account for 24 hours");

        person("daily", fresh(), "viewers");
        OidcBrowser unused = signIn("daily");
        token.get("/api/rules").expect(200);
    }

    @Test
    void aPasskeyWithoutARefreshTokenRestsAfterADay() throws Exception {
        server.client(center.publicUrl(), "corp");
        person("keyed", fresh(), "viewers");
        OidcBrowser unused = signIn("keyed");
        SoftAuthenticator device = new SoftAuthenticator(center.publicUrl().toString(), "localhost");
        ApiClient.Answer added = device.addTo(new PageClient(center).signIn(center, account("keyed")), "key")
                .expect(201);
        assertThat(Instant.parse(added.string("rests_at")))
                .isEqualTo(Instant.ofEpochMilli(CLOCK.epochMicros() / 1000).plus(Duration.ofDays(1)));
        CLOCK.advance(Duration.ofHours(23));
        device.signIn(new PageClient(center)).expect(200);
        CLOCK.advance(Duration.ofHours(1));
        device.signIn(new PageClient(center)).expect(401);

        person("keyed", fresh(), "viewers");
        OidcBrowser again = signIn("keyed");
        device.signIn(new PageClient(center)).expect(200);
        assertThat(again.status("/api/rules")).isEqualTo(200);
    }

    @Test
    void aLogoutTokenEndsTheSessionsThatItNames() throws Exception {
        server.client(center.publicUrl(), "corp");
        person("two", with(fresh(), "sid", "first"), "viewers");
        OidcBrowser first = signIn("two");
        person("two", with(fresh(), "sid", "second"), "viewers");
        OidcBrowser second = signIn("two");

        Map<String, Object> named = claims("a", Map.of("sid", "first", "sub", "id of two"));
        assertThat(logout(server.signed(named, "logout+jwt"))).isEqualTo(200);
        assertThat(first.status("/api/rules")).isEqualTo(401);
        assertThat(second.status("/api/rules")).isEqualTo(200);
        assertLogged("signed out at corp");

        assertThat(logout(server.signed(claims("b", Map.of("sub", "id of two")), "JWT")))
                .isEqualTo(200);
        assertThat(second.status("/api/rules")).isEqualTo(401);
    }

    @Test
    void aLogoutTokenIsNeverTakenTwiceOrFromSomebodyElse() throws Exception {
        server.client(center.publicUrl(), "corp");
        person("stays", with(fresh(), "sid", "stay"), "viewers");
        OidcBrowser browser = signIn("stays");
        Map<String, Object> good = claims("c", Map.of("sub", "id of stays", "sid", "stay"));
        List<Map<String, Object>> bad = List.of(
                with(good, "iss", "https://evil.example"),
                with(good, "aud", List.of("another")),
                with(good, "nonce", "n"),
                with(good, "events", Map.of("http://schemas.openid.net/event/other", Map.of())),
                with(good, "events", "http://schemas.openid.net/event/backchannel-logout"),
                with(good, "exp", now().minusSeconds(600)),
                without(good, "exp"),
                without(good, "iat"),
                without(good, "jti"),
                without(good, "events"),
                without(without(good, "sub"), "sid"),
                with(good, "sub", "id of nobody"));
        for (Map<String, Object> claims : bad.subList(0, bad.size() - 1)) {
            assertThat(logout(server.signed(claims, "logout+jwt")))
                    .as("%s", claims)
                    .isEqualTo(400);
        }
        // Of an unknown person: nothing to do.
        assertThat(logout(server.signed(with(bad.get(bad.size() - 1), "jti", "unknown"), "logout+jwt")))
                .isEqualTo(200);
        String valid = server.signed(good, "logout+jwt");
        assertThat(logout(valid.substring(0, valid.length() - 6) + "AAAAAA")).isEqualTo(400);
        assertThat(logout(server.signed(good, "at+jwt"))).isEqualTo(400);
        assertThat(logout("")).isEqualTo(400);
        assertThat(browser.status("/api/rules")).isEqualTo(200);

        assertThat(logout(valid)).isEqualTo(200);
        assertThat(browser.status("/api/rules")).isEqualTo(401);
        OidcBrowser again = signIn("stays");
        assertThat(logout(valid)).isEqualTo(400);
        assertThat(again.status("/api/rules")).isEqualTo(200);
    }

    @Test
    void theLogSaysWhichClaimWasLookedForAndWhatCame() {
        server.client(center.publicUrl(), "corp");
        person("lost", fresh(), "/sre", "golfers");
        assertThat(new OidcBrowser(center).signIn("corp", "lost")).isEqualTo("/sign-in?problem=no_role");
        assertLogged("corp: no_role: no group of lo… (4 characters) has a role: the claim groups has /s… (4"
                + " characters), go… (7 characters) (expected: one of sre, viewers)");
    }

    private static OidcBrowser signIn(String name) {
        OidcBrowser browser = new OidcBrowser(center);
        assertThat(browser.signIn("corp", name)).isEqualTo("/");
        return browser;
    }

    private static ApiClient.Answer token(OidcBrowser browser) {
        return ApiClient.session(center, browser.session().orElseThrow())
                .post("/api/tokens", "{\"name\":\"ci\",\"scopes\":[\"read\"],\"in\":\"366d\"}")
                .expect(201);
    }

    /** Sends a logout token as a provider does. */
    private static int logout(String token) {
        return ApiClient.of(center)
                .nobody()
                .post(
                        "/sign-in/oidc/corp/logout",
                        "application/x-www-form-urlencoded",
                        ("logout_token=" + token).getBytes(StandardCharsets.US_ASCII))
                .status();
    }

    private static Map<String, Object> claims(String jti, Map<String, Object> more) {
        Map<String, Object> claims = new HashMap<>(Map.of(
                "iss",
                server.issuer().toString(),
                "aud",
                List.of("sluice"),
                "iat",
                now(),
                "exp",
                now().plusSeconds(120),
                "jti",
                jti,
                "events",
                Map.of(EVENT, Map.of())));
        claims.putAll(more);
        return claims;
    }

    private static Map<String, Object> with(Map<String, Object> claims, String name, Object value) {
        Map<String, Object> changed = new HashMap<>(claims);
        changed.put(name, value);
        return changed;
    }

    private static Map<String, Object> without(Map<String, Object> claims, String name) {
        Map<String, Object> changed = new HashMap<>(claims);
        changed.remove(name);
        return changed;
    }

    private static Instant now() {
        return Instant.ofEpochSecond(CLOCK.epochMicros() / 1_000_000);
    }

    /** Claims with the time of the center, which has moved. */
    private static Map<String, Object> fresh() {
        return Map.of("iat", now(), "exp", now().plus(Duration.ofMinutes(30)), "auth_time", now().getEpochSecond());
    }

    private static void person(String name, Map<String, Object> more, String... groups) {
        Map<String, Object> claims = new HashMap<>(fresh());
        claims.put("sub", "id of " + name);
        claims.put("preferred_username", name);
        claims.put("groups", List.of(groups));
        claims.putAll(more);
        server.person(name, claims);
    }

    private static Account account(String name) {
        return center.people()
                .database()
                .read(client -> center.people().accounts().from(client, "corp", "id of " + name))
                .orElseThrow();
    }

    /** Returns the refresh token as the database has it. */
    private static String stored(String name) {
        return center.people()
                .database()
                .read(client -> center.people().confirmations().of(client, account(name)))
                .refreshToken();
    }

    private static void becomes(int status, IntSupplier answer) {
        StandingClock.until(CLOCK, status, answer);
    }

    /** Refusals are stored a little later. */
    private static void assertLogged(String... texts) {
        ApiClient admin = ApiClient.of(center);
        for (String text : texts) {
            Await.until(
                    "the log has " + text,
                    A_MINUTE,
                    () -> admin.get("/api/audit?limit=200").expect(200).text().contains(text));
        }
    }
}
