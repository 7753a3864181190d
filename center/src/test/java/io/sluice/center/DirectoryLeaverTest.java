package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.people.Account;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.core.authority.FactorGrantedAuthority;

/** People who leave an LDAP directory, and what they had here. Everything goes through the API of a running center. */
class DirectoryLeaverTest {

    private static final ManualClock CLOCK =
            QuietClock.at(Duration.ofDays(20_000).toMillis() * 1_000);

    private static final Duration A_MINUTE = Duration.ofMinutes(1);

    private static TestDirectory directory;
    private static Center center;

    @BeforeAll
    static void open(@TempDir Path folder) throws Exception {
        directory = TestDirectory.open(folder);
        center = Center.open(
                PreparedCenter.in(folder.resolve("data"))
                        .signIn(SignInSettings.LOCAL.withServers(List.of(), List.of(directory.settings(false)))),
                CLOCK);
    }

    @AfterAll
    static void close() {
        center.close();
        directory.close();
    }

    @Test
    void aTokenEndsWithItsOwnersGroup() throws Exception {
        directory.person("mover", "sre", "viewers");
        ApiClient token = token(signIn("mover"));
        token.get("/api/audit").expect(200);
        directory.leave("sre", "mover");
        CLOCK.advance(Duration.ofMinutes(6));
        becomes(403, () -> token.get("/api/audit").status());
        token.get("/api/rules").expect(200);

        directory.leave("viewers", "mover");
        CLOCK.advance(Duration.ofMinutes(6));
        becomes(401, () -> token.get("/api/rules").status());
        assertLogged("no group under ou=groups,dc=example,dc=com by (member={0})");

        directory.member("viewers", TestDirectory.dn("mover"));
        CLOCK.advance(Duration.ofMinutes(6));
        becomes(200, () -> token.get("/api/rules").status());
    }

    @Test
    void aTokenAndASessionEndWithTheEntry() throws Exception {
        directory.person("leaver", "sre");
        ApiClient person = signIn("leaver");
        ApiClient token = token(person);
        directory.delete("leaver");
        CLOCK.advance(Duration.ofMinutes(6));
        becomes(401, () -> token.get("/api/rules").status());
        person.get("/api/rules").expect(401);
        assertLogged("has no entry of this person any more");
    }

    @Test
    void aSessionEndsWithoutAnyUse() throws Exception {
        directory.person("idle", "sre");
        ApiClient person = signIn("idle");
        directory.set("idle", "nsAccountLock", "TRUE");
        CLOCK.advance(Duration.ofMinutes(6));
        becomes(0, () -> account("idle").grants().size());
        person.get("/api/rules").expect(401);
    }

    @Test
    void aPasskeyFollowsTheDirectory() throws Exception {
        directory.person("keyed", "sre", "viewers");
        ApiClient unused = signIn("keyed");
        SoftAuthenticator device = passkey("keyed");
        withPasskey(device).get("/api/audit").expect(200);
        directory.leave("sre", "keyed");
        CLOCK.advance(Duration.ofMinutes(6));
        becomes(1, () -> account("keyed").grants().size());
        PageClient viewer = withPasskey(device);
        viewer.get("/api/audit").expect(403);
        viewer.get("/api/rules").expect(200);

        directory.delete("keyed");
        CLOCK.advance(Duration.ofMinutes(6));
        becomes(0, () -> account("keyed").grants().size());
        viewer.get("/api/rules").expect(401);
        device.signIn(new PageClient(center)).expect(401);
    }

    @Test
    void aPasskeyRestsWhenTheDirectoryIsAwayForADay() throws Exception {
        directory.person("patient", "viewers");
        ApiClient token = token(signIn("patient"));
        SoftAuthenticator device = passkey("patient");
        directory.stop();
        try {
            CLOCK.advance(Duration.ofHours(23));
            device.signIn(new PageClient(center)).expect(200);
            CLOCK.advance(Duration.ofHours(2));
            device.signIn(new PageClient(center)).expect(401);
        } finally {
            directory.start();
        }
        becomes(200, () -> token.get("/api/rules").status());
        device.signIn(new PageClient(center)).expect(200);
    }

    @Test
    void somebodyWithAnotherNameHereConfirmsWithTheirPassword() throws Exception {
        directory.person("müller", "viewers");
        ApiClient person = signIn("müller");
        assertThat(account("m-ller").origin()).isEqualTo("corp");
        confirm(person).expect(200);

        directory.person("before", "viewers");
        ApiClient renamed = signIn("before");
        directory.rename("before", "after");
        directory.leave("viewers", "before");
        directory.member("viewers", TestDirectory.dn("after"));
        confirm(renamed).expect(200);
    }

    @Test
    void aNameOfClaimsHasNoInvisibleCharacters() throws Exception {
        directory.person("hidden", "viewers");
        directory.set("hidden", "cn", "evil\u202Egnp.exe\u200B\u2028second line");
        ApiClient unused = signIn("hidden");
        assertThat(account("hidden").displayName()).isEqualTo("evilgnp.exe second line");
    }

    private static ApiClient signIn(String name) {
        ApiClient.Answer answer = ApiClient.of(center)
                .post("/api/session", "{\"user\":\"" + name + "\",\"password\":\"" + TestDirectory.PASSWORD + "\"}")
                .expect(200);
        Account account = account(answer.string("user"));
        return ApiClient.session(
                center, center.people().sessions().begin(account, FactorGrantedAuthority.PASSWORD_AUTHORITY));
    }

    /** Adds a passkey to an account. */
    private static SoftAuthenticator passkey(String name) throws Exception {
        SoftAuthenticator device = new SoftAuthenticator(center.publicUrl().toString(), "localhost");
        device.addTo(new PageClient(center).signIn(center, account(name)), "key")
                .expect(201);
        return device;
    }

    private static PageClient withPasskey(SoftAuthenticator device) throws Exception {
        PageClient page = new PageClient(center);
        device.signIn(page).expect(200);
        return page;
    }

    private static ApiClient.Answer confirm(ApiClient person) {
        return person.post("/api/session/factor", "{\"password\":\"" + TestDirectory.PASSWORD + "\"}");
    }

    private static ApiClient token(ApiClient person) {
        String scopes =
                person.get("/api/me").expect(200).text().contains("operate") ? "\"read\",\"operate\"" : "\"read\"";
        return ApiClient.of(center)
                .withToken(person.post("/api/tokens", "{\"name\":\"ci\",\"scopes\":[" + scopes + "],\"in\":\"366d\"}")
                        .expect(201)
                        .string("secret"));
    }

    private static void becomes(int status, IntSupplier answer) {
        StandingClock.until(CLOCK, status, answer);
    }

    /** Refusals are stored a little later. */
    private static void assertLogged(String text) {
        ApiClient admin = ApiClient.of(center);
        Await.until(
                "the log has " + text,
                A_MINUTE,
                () -> admin.get("/api/audit?limit=200").expect(200).text().contains(text));
    }

    private static Account account(String name) {
        Optional<Account> found = center.people()
                .database()
                .read(client -> center.people().accounts().named(client, name));
        return found.orElseThrow();
    }
}
