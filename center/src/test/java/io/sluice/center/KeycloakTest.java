package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import io.sluice.center.signin.settings.MappedRole;
import io.sluice.center.signin.settings.OidcServer;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page about signing in, step by step, with a real Keycloak. */
@Tag("long")
class KeycloakTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final Duration LATER = Duration.ofMinutes(6);
    private static final String GROUPS = "oidc-group-membership-mapper";
    private static final String NO_ROLE = "/sign-in?problem=no_role";
    private static final List<String> OFFLINE = List.of("openid", "email", "profile", "offline_access");

    private static KeycloakServer keycloak;

    @TempDir
    Path folder;

    private final ShiftedClock clock = new ShiftedClock();
    private final List<OidcServer> servers = new ArrayList<>();
    private Center center;
    private CenterSettings settings;

    @BeforeAll
    static void start() {
        keycloak = KeycloakServer.start();
        keycloak.group("sre");
        keycloak.group("viewers");
        keycloak.group("golfers");
    }

    @AfterAll
    static void stop() {
        keycloak.close();
    }

    @BeforeEach
    void open() throws Exception {
        servers.add(server("corp", OidcServer.DEFAULT_SCOPES, "groups"));
        servers.add(server("offline", OFFLINE, "groups"));
        servers.add(server("bare", OidcServer.DEFAULT_SCOPES, "groups"));
        servers.add(server("paths", OidcServer.DEFAULT_SCOPES, "groups"));
        servers.add(server("realm", OidcServer.DEFAULT_SCOPES, "realm_access.roles"));
        settings =
                PreparedCenter.in(folder.resolve("data")).signIn(SignInSettings.LOCAL.withServers(servers, List.of()));
        center = Center.open(settings, clock);
    }

    @AfterEach
    void close() {
        center.close();
    }

    private OidcServer server(String name, List<String> scopes, String claim) throws IOException {
        return new OidcServer(
                name,
                "Corp",
                keycloak.issuer(),
                name,
                Files.writeString(secretFile(name), secret(name) + "\n"),
                scopes,
                Set.of(),
                Optional.empty(),
                new OidcServer.Claims("preferred_username", claim, Optional.empty()),
                List.of(MappedRole.of("sre", "operator"), MappedRole.of("viewers", "viewer")));
    }

    private Path secretFile(String name) {
        return folder.resolve("secret-" + name);
    }

    private static String secret(String name) {
        return "a secret of " + name;
    }

    /** Creates a client without a mapper and returns its id. */
    private String client(String name) {
        return keycloak.client(name, center.publicUrl(), secret(name));
    }

    /** Creates a client with the mapper of the documentation and returns its id. */
    private String withGroups(String name) {
        String id = client(name);
        keycloak.mapper(id, GROUPS, Map.of("full.path", "false"));
        return id;
    }

    @Test
    void withoutAMapperNobodyHasARoleAndTheLogSaysWhichClaimIsMissing() {
        client("bare");
        client("realm");
        keycloak.mapper(client("paths"), GROUPS, Map.of("full.path", "true"));
        keycloak.person("default", "sre");
        try (CenterLog log = new CenterLog()) {
            assertThat(new OidcBrowser(center).signIn("bare", "default")).isEqualTo(NO_ROLE);
            String sentence = "no group of de… (7 characters) has a role: the claim groups is missing or has no text;"
                    + " claims that came: ";
            assertThat(log.text()).contains("bare: sign-in refused: " + sentence);
            assertLogged("bare: no_role: " + sentence);
            assertThat(log.text()).contains("email_verified").doesNotContain("default@example.com");

            assertThat(new OidcBrowser(center).signIn("paths", "default")).isEqualTo(NO_ROLE);
            assertLogged("paths: no_role: no group of de… (7 characters) has a role: the claim groups has /s… (4"
                    + " characters) (expected: one of sre, viewers)");

            keycloak.realmRole("sre", "default");
            assertThat(new OidcBrowser(center).signIn("realm", "default")).isEqualTo(NO_ROLE);
            assertLogged("realm: no_role: no group of de… (7 characters) has a role: the claim realm_access.roles is"
                    + " missing or has no text");
        }
    }

    @Test
    void withAMapperAPersonSignsInWithTheRolesOfTheGroupsOrOfTheRealm() {
        withGroups("corp");
        keycloak.person("ann", "sre", "golfers");
        OidcBrowser browser = new OidcBrowser(center);
        assertThat(browser.signIn("corp", "ann")).isEqualTo("/");
        assertThat(browser.status("/api/commands")).isEqualTo(200);
        Account account = account("corp", "ann");
        assertThat(account.name()).isEqualTo("ann");
        assertThat(account.displayName()).isEqualTo("ann Example");
        assertThat(account.identity()).isEqualTo("ann@example.com");
        assertThat(account.grants()).containsExactly(Grant.of(Role.OPERATOR));

        keycloak.person("realmist");
        keycloak.realmRole("viewers", "realmist");
        keycloak.mapper(client("bare"), "oidc-usermodel-realm-role-mapper", Map.of("multivalued", "true"));
        assertThat(new OidcBrowser(center).signIn("bare", "realmist")).isEqualTo("/");
        assertThat(account("bare", "realmist").grants()).containsExactly(Grant.of(Role.VIEWER));
    }

    @Test
    void aFreshFactorComesFromASecondSignInAtTheServer() {
        withGroups("corp");
        keycloak.person("careful", "viewers");
        OidcBrowser browser = signIn("corp", "careful");
        String answer = browser.answer("corp?fresh=true&to=/account", "careful");
        assertThat(browser.end(answer)).isEqualTo("/account");
    }

    @Test
    void checkSignInTriesTheServerAndTheSecret() throws Exception {
        withGroups("corp");
        client("bare");
        keycloak.person("checked", "viewers");
        OidcBrowser unused = signIn("corp", "checked");
        Files.writeString(secretFile("bare"), "not the secret");
        List<String> lines = new CenterMaintenance(settings).checkSignIn("checked");
        assertThat(lines.get(0)).startsWith("account: checked of corp; can be used; roles [");
        assertThat(lines)
                .contains(
                        "corp: the server answers and accepts this client and its secret",
                        "corp: the log of the center says at a sign-in which claims came; it looks for the claim groups")
                .noneMatch(line -> line.startsWith("bare: the server answers"))
                .anyMatch(line -> line.startsWith("bare: the server's answer is not valid"));
    }

    @Test
    void aTokenAndAPasskeyFollowTheGroupsOfThePerson() throws Exception {
        withGroups("corp");
        keycloak.person("mover", "sre", "viewers");
        OidcBrowser browser = signIn("corp", "mover");
        SoftAuthenticator device = passkey("mover");
        ApiClient.Answer made = token(browser);
        assertThat(made.get("rests_at").isNull()).isTrue();
        ApiClient token = ApiClient.of(center).withToken(made.string("secret"));
        token.get("/api/commands").expect(200);
        signIn(device).expect(200);

        keycloak.leave("mover", "sre");
        clock.shift(LATER);
        becomes(403, () -> token.get("/api/commands").status());
        token.get("/api/rules").expect(200);
        assertThat(browser.status("/api/rules")).isEqualTo(401);

        keycloak.leave("mover", "viewers");
        clock.shift(LATER);
        becomes(401, () -> token.get("/api/rules").status());
        signIn(device).expect(401);
        assertLogged("corp was asked again: the claim groups is missing or has no text; claims that came: ");

        keycloak.join("mover", "viewers");
        clock.shift(LATER);
        becomes(200, () -> token.get("/api/rules").status());
        signIn(device).expect(200);
    }

    @Test
    void aDisabledPersonLosesTokensPasskeysAndSessions() throws Exception {
        withGroups("corp");
        keycloak.person("leaver", "viewers");
        OidcBrowser browser = signIn("corp", "leaver");
        SoftAuthenticator device = passkey("leaver");
        ApiClient token = ApiClient.of(center).withToken(token(browser).string("secret"));
        keycloak.enable("leaver", false);
        clock.shift(LATER);
        becomes(401, () -> token.get("/api/rules").status());
        signIn(device).expect(401);
        assertThat(browser.status("/api/rules")).isEqualTo(401);
        assertLogged("account_suspended", "corp refuses to confirm this person");

        // Back again: a sign-in at the server is needed.
        keycloak.enable("leaver", true);
        clock.shift(LATER);
        token.get("/api/rules").expect(401);
        OidcBrowser unused = signIn("corp", "leaver");
        token.get("/api/rules").expect(200);
    }

    @Test
    void aDeletedPersonLosesAnOfflineTokenToo() {
        withGroups("offline");
        keycloak.person("deleted", "viewers");
        ApiClient token = ApiClient.of(center)
                .withToken(token(signIn("offline", "deleted")).string("secret"));
        token.get("/api/rules").expect(200);
        keycloak.deletePerson("deleted");
        clock.shift(LATER);
        becomes(401, () -> token.get("/api/rules").status());
    }

    @Test
    void aSignOutAtKeycloakEndsSessionsAndTokensButNoneWithOfflineAccess() {
        withGroups("corp");
        withGroups("offline");
        keycloak.person("outgoing", "viewers");
        OidcBrowser browser = signIn("corp", "outgoing");
        OidcBrowser other = signIn("offline", "outgoing");
        ApiClient token = ApiClient.of(center).withToken(token(browser).string("secret"));
        ApiClient offline = ApiClient.of(center).withToken(token(other).string("secret"));
        signOut(browser);
        // Keycloak sends the logout token before it answers the browser.
        assertThat(browser.status("/api/rules")).isEqualTo(401);
        assertThat(other.status("/api/rules")).isEqualTo(200);
        assertLogged("sign_out", "signed out at corp");
        becomes(401, () -> token.get("/api/rules").status());

        // Keycloak sends no logout token for offline sessions, which do not end with a sign-out.
        signOut(other);
        clock.shift(LATER);
        becomes(200, () -> offline.get("/api/rules").status());
        assertThat(other.status("/api/rules")).isEqualTo(200);
    }

    @Test
    void aReplacedSecretIsUsedWithoutARestart() throws Exception {
        keycloak.person("secretive", "viewers");
        String id = withGroups("corp");
        ApiClient token = ApiClient.of(center)
                .withToken(token(signIn("corp", "secretive")).string("secret"));
        String next = keycloak.anotherSecret(id);
        assertThat(new OidcBrowser(center).signIn("corp", "secretive")).startsWith("/sign-in?problem=");
        // A center that is not known to the server any more knows nothing about the person.
        clock.shift(LATER);
        token.get("/api/rules").expect(200);

        Files.writeString(secretFile("corp"), next + "\n");
        OidcBrowser unused = signIn("corp", "secretive");
        keycloak.leave("secretive", "viewers");
        clock.shift(LATER);
        becomes(401, () -> token.get("/api/rules").status());
    }

    @Test
    void whatWasTrueHoldsForADayWhileKeycloakIsAway() {
        withGroups("offline");
        keycloak.person("patient", "viewers");
        OidcBrowser browser = signIn("offline", "patient");
        ApiClient token = ApiClient.of(center).withToken(token(browser).string("secret"));
        keycloak.stop();
        try {
            clock.shift(LATER);
            token.get("/api/rules").expect(200);
            assertThat(browser.status("/api/rules")).isEqualTo(200);
            assertThat(new OidcBrowser(center).end(center.publicUrl() + "/sign-in/oidc/corp"))
                    .isEqualTo("/sign-in?problem=unavailable");
            clock.shift(Duration.ofHours(23));
            token.get("/api/rules").expect(200);
            clock.shift(Duration.ofHours(1));
            token.get("/api/rules").expect(401);
        } finally {
            keycloak.startAgain();
        }
        // The answer confirms the person again. Nobody has to sign in.
        clock.shift(LATER);
        becomes(200, () -> token.get("/api/rules").status());
    }

    private OidcBrowser signIn(String server, String name) {
        OidcBrowser browser = new OidcBrowser(center);
        assertThat(browser.signIn(server, name)).isEqualTo("/");
        return browser;
    }

    /** Signs out at Keycloak as a person does, who is asked whether it is meant. */
    private void signOut(OidcBrowser browser) {
        URI page = URI.create(keycloak.issuer() + "/protocol/openid-connect/logout");
        HttpResponse<String> asked = browser.get(page.toString());
        String code = OidcBrowser.field(asked.body(), "session_code");
        HttpResponse<String> answer =
                browser.submitForm(page, asked.body(), "session_code=" + code + "&confirmLogout=Logout");
        assertThat(answer.statusCode()).as(answer.body()).isLessThan(400);
    }

    private ApiClient person(OidcBrowser browser) {
        return ApiClient.session(center, browser.session().orElseThrow());
    }

    private ApiClient.Answer token(OidcBrowser browser) {
        String form = "{\"name\":\"ci\",\"scopes\":[\"read\"],\"in\":\"366d\"}";
        return person(browser).post("/api/tokens", form).expect(201);
    }

    /** Adds a passkey to the account of somebody who has just signed in. */
    private SoftAuthenticator passkey(String name) throws Exception {
        URI address = center.publicUrl();
        SoftAuthenticator device = new SoftAuthenticator(address.toString(), address.getHost());
        device.addTo(new PageClient(center).signIn(center, account("corp", name)), "key")
                .expect(201);
        return device;
    }

    private ApiClient.Answer signIn(SoftAuthenticator device) throws Exception {
        return device.signIn(new PageClient(center));
    }

    private Account account(String server, String name) {
        return center.people()
                .database()
                .read(client -> center.people().accounts().from(client, server, keycloak.subject(name)))
                .orElseThrow();
    }

    /** The answer to a question about a person may be under way. */
    private static void becomes(int status, IntSupplier answer) {
        Await.until("status " + status, SOON, () -> answer.getAsInt() == status);
    }

    /** Refusals are stored a little later. */
    private void assertLogged(String... texts) {
        ApiClient admin = ApiClient.of(center);
        for (String text : texts) {
            Await.until(
                    "the log has " + text,
                    SOON,
                    () -> admin.get("/api/audit?limit=200").expect(200).text().contains(text));
        }
    }
}
