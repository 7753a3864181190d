package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import io.sluice.center.signin.settings.LdapServer;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.testkit.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.security.core.authority.FactorGrantedAuthority;

/** The page about signing in with LDAP, step by step, with a real OpenLDAP server. */
@Tag("long")
class SlapdTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final Duration LATER = Duration.ofMinutes(6);
    private static final int REFUSALS = Math.min(100, 10 * Integer.getInteger("sluice.tests.scale", 1));

    private static SlapdServer first;
    private static SlapdServer second;

    @TempDir
    Path folder;

    private final ShiftedClock clock = new ShiftedClock();
    private CenterSettings settings;
    private Center center;

    @BeforeAll
    static void start() throws Exception {
        first = SlapdServer.start("corp");
        second = SlapdServer.start("partners");
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
    }

    @BeforeEach
    void open() throws Exception {
        open(first.settings(folder, false), second.settings(folder, false));
    }

    @AfterEach
    void close() {
        center.close();
    }

    private void open(LdapServer... servers) throws Exception {
        settings = PreparedCenter.in(folder.resolve("data"))
                .signIn(SignInSettings.LOCAL
                        .withServers(List.of(), List.of(servers))
                        .withTrustedProxies(List.of("127.0.0.1")));
        center = Center.open(settings, clock);
    }

    @Test
    void peopleSignInWithTheRolesOfTheirGroups() throws Exception {
        first.person("ann", "sre", "staff");
        ApiClient ann = signIn("ann");
        ann.get("/api/commands").expect(200);
        Account account = account("ann");
        assertThat(account.origin()).isEqualTo("corp");
        assertThat(account.displayName()).isEqualTo("ann of Example");
        assertThat(account.identity()).isEqualTo("ann@example.com");
        assertThat(account.grants()).containsExactly(Grant.of(Role.OPERATOR));
        second.person("partner", "viewers");
        signIn("partner").get("/api/rules").expect(200);
        assertThat(account("partner").origin()).isEqualTo("partners");

        try (CenterLog log = new CenterLog()) {
            asks("ann", "wrong").expect(401);
            asks("nobody", TestDirectory.PASSWORD).expect(401);
            first.person("golfer", "staff");
            assertThat(asks("golfer", TestDirectory.PASSWORD).expect(401).text())
                    .doesNotContain("wrong");
            String sentence = "no group of go… (6 characters) has a role: the groups st… (5 characters) under"
                    + " ou=groups,dc=example,dc=com by (member={0}) (expected: one of sre, viewers)";
            assertThat(log.text()).contains("corp: sign-in refused: " + sentence);
            assertLogged(sentence);
        }
    }

    @Test
    void checkSignInSaysWhatADirectoryAnswers() throws Exception {
        first.person("checked", "staff");
        first.person("good", "viewers");
        first.person("shut", "viewers");
        first.lock("shut");
        assertThat(check("checked"))
                .containsExactly(
                        "account: none of that name here; the first sign-in makes one",
                        "corp: one entry; the groups st… (5 characters) under ou=groups,dc=example,dc=com by"
                                + " (member={0}) (expected: one of sre, viewers)",
                        "corp: no role, so the sign-in would be refused",
                        "partners: no usable entry under ou=people,dc=example,dc=com by (uid={0}): none, several, or a"
                                + " locked one");
        assertThat(check("good")).anyMatch(line -> line.startsWith("corp: roles [") && line.contains("viewer"));
        assertThat(check("shut")).anyMatch(line -> line.startsWith("corp: no usable entry"));
        second.freeze();
        try {
            assertThat(check("good"))
                    .anyMatch(line -> line.startsWith("corp: roles ["))
                    .noneMatch(line -> line.startsWith("partners: no usable entry"));
        } finally {
            second.unfreeze();
        }
    }

    @Test
    void groupsWithinGroupsCountIfTheSettingsSaySo() throws Exception {
        first.person("nested", "staff");
        first.member("viewers", SlapdServer.group("staff"));
        first.member("staff", SlapdServer.group("viewers"));
        try {
            asks("nested", TestDirectory.PASSWORD).expect(401);
            center.close();
            open(first.settings(folder, true));
            signIn("nested").get("/api/rules").expect(200);
            assertThat(check("nested")).anyMatch(line -> line.startsWith("corp: roles ["));
        } finally {
            first.remove("viewers", SlapdServer.group("staff"));
            first.remove("staff", SlapdServer.group("viewers"));
        }
    }

    @Test
    void tokensFollowTheDirectory() throws Exception {
        first.person("mover", "sre", "viewers");
        ApiClient person = signIn("mover");
        ApiClient token = token(person);
        first.leave("sre", "mover");
        clock.shift(LATER);
        becomes(403, () -> token.get("/api/commands").status());
        token.get("/api/rules").expect(200);
        person.get("/api/rules").expect(401);

        first.leave("viewers", "mover");
        clock.shift(LATER);
        becomes(401, () -> token.get("/api/rules").status());
        assertLogged("corp was asked again: no group under ou=groups,dc=example,dc=com by (member={0})");

        first.member("viewers", SlapdServer.dn("mover"));
        clock.shift(LATER);
        becomes(200, () -> token.get("/api/rules").status());

        first.delete("mover");
        clock.shift(LATER);
        becomes(401, () -> token.get("/api/rules").status());
        assertLogged("corp has no entry of this person any more, or has locked it");
        asks("mover", TestDirectory.PASSWORD).expect(401);
    }

    @Test
    void aLockForGoodEndsTokensAndALockForSomeTimeDoesNot() throws Exception {
        first.person("locked", "viewers");
        ApiClient token = token(signIn("locked"));
        first.lock("locked");
        clock.shift(LATER);
        becomes(401, () -> token.get("/api/rules").status());
        asks("locked", TestDirectory.PASSWORD).expect(401);
        first.unlock("locked");
        clock.shift(LATER);
        becomes(200, () -> token.get("/api/rules").status());

        first.lockAfterOneWrongPassword("locked");
        asks("locked", "wrong").expect(401);
        asks("locked", TestDirectory.PASSWORD).expect(401);
        clock.shift(LATER);
        token.get("/api/rules").expect(200);
        first.unlock("locked");
        ApiClient unused = signIn("locked");
    }

    @Test
    void aRenamedPersonKeepsTheAccount() throws Exception {
        first.person("before", "viewers");
        ApiClient person = signIn("before");
        ApiClient token = token(person);
        long id = account("before").id();
        first.rename("before", "after");
        first.leave("viewers", "before");
        first.member("viewers", SlapdServer.dn("after"));
        clock.shift(LATER);
        becomes(200, () -> token.get("/api/rules").status());
        String password = "{\"password\":\"" + TestDirectory.PASSWORD + "\"}";
        person.post("/api/session/factor", password).expect(200);
        asks("before", TestDirectory.PASSWORD).expect(401);
        asks("after", TestDirectory.PASSWORD).expect(200);
        assertThat(account("before").id()).isEqualTo(id);

        // Somebody else gets the old name.
        first.person("before", "sre");
        assertThat(asks("before", TestDirectory.PASSWORD).expect(200).string("user"))
                .isEqualTo("before-corp");
        assertThat(account("before-corp").grants()).containsExactly(Grant.of(Role.OPERATOR));
    }

    @Test
    void aFrozenDirectoryKeepsNobodyOfTheOtherOut() throws Exception {
        first.person("frozen", "viewers");
        second.person("other", "viewers");
        ApiClient token = token(signIn("frozen"));
        first.freeze();
        try (CenterLog log = new CenterLog()) {
            signIn("other").get("/api/rules").expect(200);
            assertThat(log.text()).contains("ldap.corp: ").contains("nobody can sign in through this server");
            // It is not asked any more, also not by the check of the token.
            signIn("other").get("/api/rules").expect(200);
            asks("frozen", TestDirectory.PASSWORD).expect(401);
            clock.shift(LATER);
            token.get("/api/rules").expect(200);
        } finally {
            first.unfreeze();
        }
        becomes(200, () -> asks("frozen", TestDirectory.PASSWORD).status());
    }

    @Test
    void whatWasTrueHoldsForADayWhileADirectoryIsAway() throws Exception {
        first.person("patient", "viewers");
        ApiClient token = token(signIn("patient"));
        first.stop();
        try {
            clock.shift(LATER);
            token.get("/api/rules").expect(200);
            clock.shift(Duration.ofHours(23));
            token.get("/api/rules").expect(200);
            clock.shift(Duration.ofHours(1));
            token.get("/api/rules").expect(401);
        } finally {
            first.startAgain();
        }
        clock.shift(LATER);
        becomes(200, () -> token.get("/api/rules").status());
    }

    /**
     * The directory does the same work for a known and an unknown name. The medians, and the share of right guesses by time, are printed
     * and not compared, because a busy machine decides them.
     */
    @Test
    void aRefusalDoesNotTellWhetherTheDirectoryKnowsTheName() throws Exception {
        List<Long> known = new ArrayList<>();
        List<Long> unknown = new ArrayList<>();
        for (int i = 0; i < REFUSALS; i++) {
            first.person("known" + i, "viewers");
        }
        SlapdServer.Operations ofKnown =
                first.operationsOf(() -> asks("known0", "wrong").expect(401));
        SlapdServer.Operations ofUnknown =
                first.operationsOf(() -> asks("unknown0", "wrong").expect(401));
        assertThat(ofKnown).isEqualTo(ofUnknown);
        for (int i = 0; i < REFUSALS; i++) {
            known.add(nanosOfRefusal("known" + i));
            unknown.add(nanosOfRefusal("unknown" + i));
        }
        System.out.printf(
                Locale.ROOT,
                "%d refusals each: known names %s, unknown names %s; %.0f %% of guesses by one time are right (chance:"
                        + " 50 %%)%n",
                REFUSALS,
                figures(known),
                figures(unknown),
                100 * rightGuesses(known, unknown));
    }

    /**
     * Returns the share of right guesses of an attacker who sees the time of one refusal. The attacker knows the first half of the times
     * and which of their names are known, takes the bound that divides them best, and guesses the second half.
     */
    private static double rightGuesses(List<Long> known, List<Long> unknown) {
        int half = known.size() / 2;
        long best = 0;
        double most = 0;
        boolean isSlower = true;
        for (long bound : Stream.concat(known.stream(), unknown.stream()).toList()) {
            double right = right(known.subList(0, half), unknown.subList(0, half), bound);
            if (Math.max(right, 1 - right) > most) {
                most = Math.max(right, 1 - right);
                best = bound;
                isSlower = right >= 0.5;
            }
        }
        double right = right(known.subList(half, known.size()), unknown.subList(half, unknown.size()), best);
        return isSlower ? right : 1 - right;
    }

    /** Returns the share of right guesses if a name counts as known from a time on. */
    private static double right(List<Long> known, List<Long> unknown, long bound) {
        long hits = known.stream().filter(each -> each >= bound).count()
                + unknown.stream().filter(each -> each < bound).count();
        return (double) hits / (known.size() + unknown.size());
    }

    private long nanosOfRefusal(String name) {
        long begin = clock.nanoTime();
        asks(name, "wrong").expect(401);
        return clock.nanoTime() - begin;
    }

    private static String figures(List<Long> nanos) {
        List<Long> sorted = nanos.stream().sorted().toList();
        int count = sorted.size();
        return String.format(
                Locale.ROOT,
                "median %.1f ms (quartiles %.1f and %.1f ms)",
                sorted.get(count / 2) / 1e6,
                sorted.get(count / 4) / 1e6,
                sorted.get(count * 3 / 4) / 1e6);
    }

    private int addresses;

    /** Signs in from another address each time, because attempts from one address are limited. */
    private ApiClient.Answer asks(String name, String password) {
        addresses++;
        return ApiClient.nobody(center)
                .with("X-Forwarded-For", "192.0." + addresses / 200 + "." + (1 + addresses % 200))
                .post("/api/session", "{\"user\":\"" + name + "\",\"password\":\"" + password + "\"}");
    }

    private ApiClient signIn(String name) {
        String user = asks(name, TestDirectory.PASSWORD).expect(200).string("user");
        return ApiClient.session(
                center, center.people().sessions().begin(account(user), FactorGrantedAuthority.PASSWORD_AUTHORITY));
    }

    private ApiClient token(ApiClient person) {
        return ApiClient.of(center)
                .withToken(person.post("/api/tokens", "{\"name\":\"ci\",\"scopes\":[\"read\"],\"in\":\"366d\"}")
                        .expect(201)
                        .string("secret"));
    }

    private List<String> check(String name) throws Exception {
        return new CenterMaintenance(settings).checkSignIn(name);
    }

    private Account account(String name) {
        return center.people()
                .database()
                .read(client -> center.people().accounts().named(client, name))
                .orElseThrow();
    }

    /** The answer to a question about a person may be under way. */
    private static void becomes(int status, IntSupplier answer) {
        Await.until("status " + status, SOON, () -> answer.getAsInt() == status);
    }

    /** Refusals are stored a little later. */
    private void assertLogged(String text) {
        ApiClient admin = ApiClient.of(center);
        Await.until(
                "the log has " + text,
                SOON,
                () -> admin.get("/api/audit?limit=200").expect(200).text().contains(text));
    }
}
