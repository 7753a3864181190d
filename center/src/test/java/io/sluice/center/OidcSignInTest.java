package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import io.sluice.center.people.Factor;
import io.sluice.center.signin.settings.MappedRole;
import io.sluice.center.signin.settings.OidcServer;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.testkit.http.RawCaller;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.core.authority.FactorGrantedAuthority;

/** People sign in at a real authorization server. */
class OidcSignInTest {

    private static final String EXPIRED = "/sign-in?problem=expired";
    private static final String REFUSED = "/sign-in?problem=refused";
    private static final String UNAVAILABLE = "/sign-in?problem=unavailable";
    private static final String NO_ROLE = "/sign-in?problem=no_role";

    private static OidcTestServer server;
    private static Path secret;
    private static Center center;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        server = OidcTestServer.open();
        secret = Files.writeString(directory.resolve("secret"), OidcTestServer.SECRET + "\n");
        center = Center.open(PreparedCenter.in(directory.resolve("data"))
                .signIn(SignInSettings.LOCAL.withServers(List.of(settings("corp"), settings("other")), List.of())));
        server.client(center.publicUrl(), "corp", "other");
    }

    @AfterAll
    static void stop() {
        center.close();
        server.close();
    }

    private static OidcServer settings(String name) {
        return new OidcServer(
                name,
                "Corp",
                server.issuer(),
                "sluice",
                secret,
                OidcServer.DEFAULT_SCOPES,
                Set.of(),
                Optional.empty(),
                new OidcServer.Claims("preferred_username", "realm.groups", Optional.of("tenant")),
                List.of(
                        MappedRole.of("sre", "operator", "*"),
                        MappedRole.of("shop-admins", "tenant_administrator", "shop"),
                        MappedRole.of("editors", "editor")));
    }

    @Test
    void signsInWithTheRolesAndTenantsOfTheGroups() {
        person("ann", Map.of("tenant", List.of("shop", "bank")), "sre", "shop-admins", "editors", "golfers");
        OidcBrowser browser = new OidcBrowser(center);
        assertThat(browser.status("/api/rules")).isEqualTo(401);
        assertThat(browser.signIn("corp", "ann")).isEqualTo("/");
        assertThat(browser.status("/api/commands")).isEqualTo(200);
        Account account = account("corp", "ann");
        assertThat(account.name()).isEqualTo("ann");
        assertThat(account.email()).isEqualTo("ann@example.com");
        assertThat(account.identity()).isEqualTo("ann@example.com");
        assertThat(account.grants())
                .containsExactlyInAnyOrder(
                        Grant.of(Role.OPERATOR),
                        Grant.of(Role.TENANT_ADMINISTRATOR, "shop"),
                        Grant.of(Role.EDITOR, "shop"),
                        Grant.of(Role.EDITOR, "bank"));
        assertThat(ApiClient.of(center).get("/api/commands").expect(200).text())
                .contains("account_created")
                .doesNotContain(OidcTestServer.SECRET);
    }

    @Test
    void aRoleForTheTenantOfAClaimIsNeverForAllTenantsWithoutTheClaim() {
        person("no-tenant", Map.of(), "editors");
        assertThat(new OidcBrowser(center).signIn("corp", "no-tenant")).isEqualTo(NO_ROLE);
    }

    @Test
    void aTenantThatNoRuleCanHaveIsLeftOut() {
        List<String> tenants = new ArrayList<>(List.of("x".repeat(301), " ", "shop"));
        IntStream.range(0, 100).forEach(i -> tenants.add("shop-" + i));
        person("long", Map.of("tenant", tenants), "editors");
        assertThat(new OidcBrowser(center).signIn("corp", "long")).isEqualTo("/");
        assertThat(account("corp", "long").grants())
                .hasSize(50)
                .contains(Grant.of(Role.EDITOR, "shop"), Grant.of(Role.EDITOR, "shop-0"));
        person("longer", Map.of("tenant", "x".repeat(301)), "editors");
        assertThat(new OidcBrowser(center).signIn("corp", "longer")).isEqualTo(NO_ROLE);
        ApiClient.of(center).get("/api/users").expect(200);
    }

    @Test
    void aRoleThatIsLostIsLostAtTheNextSignIn() {
        person("moving", Map.of("tenant", "shop"), "sre", "editors");
        OidcBrowser browser = new OidcBrowser(center);
        assertThat(browser.signIn("corp", "moving")).isEqualTo("/");
        String first = browser.session().orElseThrow();
        assertThat(browser.signIn("corp", "moving")).isEqualTo("/");
        assertThat(account("corp", "moving").revision()).isEqualTo(1);

        person("moving", Map.of("tenant", "shop"), "editors");
        OidcBrowser second = new OidcBrowser(center);
        assertThat(second.signIn("corp", "moving")).isEqualTo("/");
        assertThat(second.status("/api/rules")).isEqualTo(200);
        assertThat(second.status("/api/commands")).isEqualTo(403);
        assertThat(browser.status("/api/rules")).isEqualTo(401);
        assertThat(center.people().sessions().find(first)).isEmpty();

        person("moving", Map.of("tenant", "shop"));
        assertThat(new OidcBrowser(center).signIn("corp", "moving")).isEqualTo(NO_ROLE);
        assertThat(second.status("/api/rules")).isEqualTo(401);
        assertThat(account("corp", "moving").grants()).isEmpty();
    }

    @Test
    void nobodyWithoutAMappedRoleEverGetsIn() {
        person("golfer", Map.of("tenant", "shop"), "golfers", "SRE", "sr", "sre ");
        OidcBrowser browser = new OidcBrowser(center);
        assertThat(browser.signIn("corp", "golfer")).isEqualTo(NO_ROLE);
        assertThat(browser.session()).isEmpty();
        assertThat(find("corp", "golfer")).isEmpty();
    }

    @Test
    void anAccountIsNeverTakenOverByTheSameName() {
        Account local = ApiClient.account(center, "root", Grant.of(Role.ADMINISTRATOR));
        person("root", Map.of("email", "root@example.com", "email_verified", true), "sre");
        OidcBrowser browser = new OidcBrowser(center);
        assertThat(browser.signIn("corp", "root")).isEqualTo("/");
        assertThat(browser.status("/api/rules")).isEqualTo(200);
        Account foreign = account("corp", "root");
        assertThat(foreign.id()).isNotEqualTo(local.id());
        assertThat(foreign.name()).isEqualTo("root-corp");
        assertThat(foreign.grants()).containsExactly(Grant.of(Role.OPERATOR));
        // The same person, so one account cannot approve what the other proposes.
        assertThat(foreign.identity()).isEqualTo(local.identity());
        Optional<Account> unchanged = center.people()
                .database()
                .read(client -> center.people().accounts().find(client, local.id()));
        assertThat(unchanged).contains(local);

        // Nor by the same subject at another server.
        assertThat(browser.signIn("other", "root")).isEqualTo("/");
        assertThat(account("other", "root").id()).isNotEqualTo(foreign.id());
        assertThat(account("other", "root").name()).isEqualTo("root-other");
    }

    @Test
    void anEmailThatIsNotVerifiedIsNeverAnIdentity() {
        for (Object verified : List.of(false, "yes", "no claim")) {
            String name = "sly-" + verified.toString().replace(" ", "");
            person(
                    name,
                    verified.equals("no claim")
                            ? Map.of("email", "boss@example.com")
                            : Map.of("email", "boss@example.com", "email_verified", verified),
                    "sre");
            assertThat(new OidcBrowser(center).signIn("corp", name)).isEqualTo("/");
            assertThat(account("corp", name).email()).isEmpty();
            assertThat(account("corp", name).identity()).isEqualTo(server.issuer() + "#id of " + name);
        }
    }

    @Test
    void anIdentityNeverChangesFromOneEmailToAnother() {
        person("fickle", Map.of(), "sre");
        assertThat(new OidcBrowser(center).signIn("corp", "fickle")).isEqualTo("/");
        for (Map<String, Object> other :
                List.<Map<String, Object>>of(Map.of("email", "another@example.com"), Map.of("email_verified", false))) {
            person("fickle", other, "sre");
            assertThat(new OidcBrowser(center).signIn("corp", "fickle")).isEqualTo("/");
            assertThat(account("corp", "fickle").identity()).isEqualTo("fickle@example.com");
        }
    }

    @Test
    void aDisabledAccountStaysOut() {
        person("leaver", Map.of(), "sre");
        OidcBrowser browser = new OidcBrowser(center);
        assertThat(browser.signIn("corp", "leaver")).isEqualTo("/");
        center.people().database().write(client -> center.people()
                .accounts()
                .replace(client, account("corp", "leaver").disabled(1)));
        assertThat(browser.status("/api/rules")).isEqualTo(401);
        assertThat(browser.signIn("corp", "leaver")).isEqualTo("/sign-in?problem=disabled");
        assertThat(browser.status("/api/rules")).isEqualTo(401);
    }

    @Test
    void anAnswerIsNeverTakenTwice() {
        person("twice", Map.of(), "sre");
        OidcBrowser browser = new OidcBrowser(center);
        String answer = browser.answer("corp", "twice");
        String cookie = browser.cookie("sluice_oidc").orElseThrow();
        assertThat(browser.end(answer)).isEqualTo("/");
        assertThat(browser.end(answer)).isEqualTo(EXPIRED);
        assertThat(center.people().vault().finish("oidc", cookie)).isEmpty();
    }

    @Test
    void anAnswerIsNeverTakenFromAnotherBrowser() {
        person("attacker", Map.of(), "sre");
        person("victim", Map.of(), "sre");
        String answer = new OidcBrowser(center).answer("corp", "attacker");
        OidcBrowser victim = new OidcBrowser(center);
        assertThat(victim.end(answer)).isEqualTo(EXPIRED);
        // Also not while the victim signs in.
        String own = victim.answer("corp", "victim");
        assertThat(victim.end(answer)).isEqualTo(REFUSED);
        assertThat(victim.session()).isEmpty();
        assertThat(victim.end(own)).isEqualTo("/");
    }

    @Test
    void anAnswerWithAnotherStateOrServerOrIssuerIsRefused() {
        person("mixed", Map.of(), "sre");
        OidcBrowser browser = new OidcBrowser(center);
        assertThat(browser.end(browser.answer("corp", "mixed").replaceFirst("state=...", "state=xyz")))
                .isEqualTo(REFUSED);
        assertThat(browser.end(browser.answer("corp", "mixed").replaceFirst("state=[^&]*", "")))
                .isEqualTo(REFUSED);
        assertThat(browser.end(browser.answer("corp", "mixed").replace("/corp/", "/other/")))
                .isEqualTo(REFUSED);
        assertThat(browser.end(browser.answer("corp", "mixed") + "&iss=https%3A%2F%2Fevil.example"))
                .isEqualTo(REFUSED);
        assertThat(browser.end(browser.answer("corp", "mixed").replaceFirst("code=[^&]*", "code=guess")))
                .isEqualTo(REFUSED);
        assertThat(browser.end(browser.answer("corp", "mixed")
                        .replaceFirst("code=[^&]*", "error=access_denied&error_description=%3Cb%3E")))
                .isEqualTo(REFUSED);
        assertThat(browser.session()).isEmpty();
        assertThat(browser.end(browser.answer("corp", "mixed") + "&iss=" + server.issuer()))
                .isEqualTo("/");
        assertThat(browser.end(center.publicUrl() + "/sign-in/oidc/nobody")).isEqualTo(REFUSED);
    }

    @Test
    void aRedirectNeverLeavesTheCenter() {
        person("ann", Map.of("tenant", "shop"), "sre");
        OidcBrowser browser = new OidcBrowser(center);
        for (String to : List.of("//evil.example", "https://evil.example", "/%5Cevil.example", "/%0D%0AX:y", "@evil")) {
            assertThat(browser.signIn("corp?to=" + to, "ann")).isEqualTo("/");
        }
        assertThat(browser.signIn("corp?to=/step-up%3Fnext%3D%2Fchanges", "ann"))
                .isEqualTo("/step-up?next=/changes");
    }

    @Test
    void theRedirectAddressNeverFollowsTheHostOfARequest() throws Exception {
        person("ann", Map.of("tenant", "shop"), "sre");
        int before = ceremonies().size();
        try (RawCaller caller = new RawCaller(center.address().getPort())) {
            assertThat(caller.get("/sign-in/oidc/corp", "evil.example").status())
                    .isEqualTo(303);
        }
        assertThat(ceremonies()).hasSize(before + 1).noneMatch(body -> body.contains("evil"));
    }

    @Test
    void anOldSingleSignOnIsNeverFresh() {
        person("sso", Map.of(), "sre");
        OidcBrowser browser = new OidcBrowser(center);
        assertThat(browser.signIn("corp", "sso")).isEqualTo("/");
        assertThat(factor(browser).at()).isZero();
        assertThat(browser.signIn("corp?fresh=true&to=/account", "sso")).isEqualTo("/sign-in?problem=not_fresh");

        long old = Instant.now().minus(Duration.ofHours(1)).getEpochSecond();
        person("sso", Map.of("auth_time", old), "sre");
        assertThat(browser.signIn("corp?fresh=true", "sso")).isEqualTo("/sign-in?problem=not_fresh");
        assertThat(browser.status("/api/rules")).isEqualTo(200);
        assertThat(browser.signIn("corp", "sso")).isEqualTo("/");
        assertThat(factor(browser).at()).isEqualTo(old * 1000);

        String before = browser.session().orElseThrow();
        long now = Instant.now().getEpochSecond();
        person("sso", Map.of("auth_time", now), "sre");
        assertThat(browser.signIn("corp?fresh=true&to=/account", "sso")).isEqualTo("/account");
        assertThat(factor(browser))
                .isEqualTo(new Factor(FactorGrantedAuthority.AUTHORIZATION_CODE_AUTHORITY, now * 1000));
        assertThat(browser.session()).isNotEqualTo(Optional.of(before));

        String asked = OidcBrowser.at(browser.get(center.publicUrl() + "/sign-in/oidc/corp?fresh=true"))
                .orElseThrow();
        assertThat(OidcBrowser.parameter(asked, "prompt")).isEqualTo("login");
        assertThat(OidcBrowser.parameter(asked, "max_age")).isEqualTo("0");
        assertThat(OidcBrowser.parameter(asked, "code_challenge_method")).isEqualTo("S256");
    }

    @Test
    void aCenterStartsAndServesWhileTheServerIsAway(@TempDir Path directory) throws Exception {
        person("away", Map.of(), "sre");
        server.stop();
        try (Center other = Center.open(PreparedCenter.in(directory)
                .signIn(SignInSettings.LOCAL.withServers(List.of(settings("corp")), List.of())))) {
            OidcBrowser browser = new OidcBrowser(other);
            String start = other.publicUrl() + "/sign-in/oidc/corp";
            assertThat(browser.end(start)).isEqualTo(UNAVAILABLE);
            ApiClient.person(other, "local", Grant.of(Role.VIEWER))
                    .get("/api/rules")
                    .expect(200);

            server.start();
            server.client(other.publicUrl(), "corp");
            assertThat(browser.signIn("corp", "away")).isEqualTo("/");

            OidcBrowser late = new OidcBrowser(other);
            String answer = late.answer("corp", "away");
            server.stop();
            assertThat(late.end(answer)).isEqualTo(UNAVAILABLE);
            assertThat(late.session()).isEmpty();
            assertThat(browser.status("/api/rules")).isEqualTo(200);
        } finally {
            server.stop();
            server.start();
            server.client(center.publicUrl(), "corp", "other");
        }
    }

    @Test
    void aMissingSecretIsNamedAtTheStart(@TempDir Path directory) {
        assertThatThrownBy(() -> Center.open(PreparedCenter.in(directory)
                        .signIn(SignInSettings.LOCAL.withServers(
                                List.of(new OidcServer(
                                        "corp",
                                        "Corp",
                                        server.issuer(),
                                        "sluice",
                                        directory.resolve("none"),
                                        OidcServer.DEFAULT_SCOPES,
                                        Set.of(),
                                        Optional.empty(),
                                        OidcServer.Claims.USUAL,
                                        List.of())),
                                List.of()))))
                .isInstanceOf(CenterStartException.class)
                .hasMessageContaining("oidc.corp.client_secret_file")
                .hasMessageContaining("expected: a file");
    }

    private static void person(String name, Map<String, Object> more, String... groups) {
        Map<String, Object> claims = new HashMap<>();
        claims.put("sub", "id of " + name);
        claims.put("preferred_username", name);
        claims.put("email", name + "@example.com");
        if (!more.containsKey("email") || more.get("email").equals("another@example.com")) {
            claims.put("email_verified", true);
        }
        claims.put("realm", Map.of("groups", List.of(groups)));
        claims.putAll(more);
        server.person(name, claims);
    }

    private static Account account(String origin, String name) {
        return find(origin, name).orElseThrow();
    }

    private static Optional<Account> find(String origin, String name) {
        return center.people()
                .database()
                .read(client -> center.people().accounts().from(client, origin, "id of " + name));
    }

    private static Factor factor(OidcBrowser browser) {
        return center.people()
                .sessions()
                .find(browser.session().orElseThrow())
                .orElseThrow()
                .factors()
                .get(0);
    }

    private static List<String> ceremonies() {
        return center.people().database().read(client -> client.sql("SELECT body FROM ceremony")
                .query(String.class)
                .list());
    }
}
