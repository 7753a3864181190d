package io.sluice.center.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.PreparedCenter;
import io.sluice.center.TestDirectory;
import io.sluice.center.access.Access;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.access.Scope;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.people.Account;
import io.sluice.center.people.ApiTokens;
import io.sluice.center.people.People;
import io.sluice.center.signin.PasswordDirectory;
import io.sluice.center.signin.settings.LdapServer;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Questions to a real directory about people who do not sign in just now. */
class ServerConfirmationsTest {

    private final ManualClock clock = QuietClock.at(Duration.ofDays(20_000).toMillis() * 1_000);

    @TempDir
    Path folder;

    private TestDirectory directory;
    private Database database;
    private People people;
    private ServerConfirmations servers;

    @BeforeEach
    void open() throws Exception {
        directory = TestDirectory.open(folder);
        var unused = PreparedCenter.in(folder.resolve("data"));
        database = Database.open("", folder.resolve("data"));
        people = People.of(database, new CommandLog(clock), clock);
        servers = open(directory.settings(false));
    }

    private ServerConfirmations open(LdapServer server) throws Exception {
        return ServerConfirmations.open(SignInSettings.LOCAL.withServers(List.of(), List.of(server)), people, clock);
    }

    @AfterEach
    void close() {
        database.close();
        directory.close();
    }

    @Test
    void aDirectoryIsAskedOncePerInterval() throws Exception {
        directory.person("ann", "sre");
        Account ann = signIn("ann");
        List<Integer> before = directory.work();
        assertThat(servers.confirm(ann.id())).isFalse();
        servers.turn(true);
        assertThat(directory.work()).isEqualTo(before);

        clock.advance(Duration.ofMinutes(5));
        servers.turn(false);
        assertThat(directory.work()).isEqualTo(before);
        assertThat(servers.confirm(ann.id())).isTrue();
        List<Integer> after = directory.work();
        assertThat(after).isNotEqualTo(before);
        assertThat(servers.confirm(ann.id())).isFalse();
        servers.turn(true);
        assertThat(directory.work()).isEqualTo(after);

        clock.advance(Duration.ofMinutes(5));
        servers.turn(true);
        assertThat(directory.work()).isNotEqualTo(after);
        assertThat(account(ann).grants()).containsExactly(Grant.of(Role.OPERATOR));
    }

    @Test
    void eachKindOfLockTakesTheRoles() throws Exception {
        List<List<String>> locks = List.of(
                List.of("nsAccountLock", "true"),
                List.of("loginDisabled", "TRUE"),
                List.of("userAccountControl", "514"),
                List.of("pwdAccountLockedTime", "000001010000Z"));
        List<Account> locked = new ArrayList<>();
        for (List<String> lock : locks) {
            String name = "x" + locked.size();
            directory.person(name, "sre");
            directory.set(name, lock.get(0), lock.get(0).equals("userAccountControl") ? "512" : "other");
            locked.add(signIn(name));
            directory.set(name, lock.get(0), lock.get(1));
        }
        directory.person("resting", "sre");
        // A lock after wrong passwords ends by itself. Otherwise a stranger could stop the tokens of a person.
        directory.set("resting", "pwdAccountLockedTime", "20260101000000Z");
        Account resting = signIn("resting");
        clock.advance(Duration.ofMinutes(5));
        servers.turn(true);
        assertThat(locked).allMatch(account -> account(account).grants().isEmpty());
        assertThat(account(resting).grants()).isNotEmpty();
    }

    @Test
    void awayIsNeverGone() throws Exception {
        directory.person("patient", "sre");
        Account patient = signIn("patient");
        String token = token(patient);
        String session = people.sessions().begin(patient, "FACTOR_PASSWORD");
        directory.stop();
        clock.advance(Duration.ofMinutes(90));
        servers.turn(true);
        assertThat(servers.confirm(patient.id())).isFalse();
        assertThat(people.sessions().find(session)).isPresent();
        clock.advance(Duration.ofHours(22));
        servers.turn(true);
        assertThat(access(token)).isPresent();
        clock.advance(Duration.ofMinutes(31));
        assertThat(access(token)).isEmpty();
        assertThat(database.read(client -> people.tokens().invalid(client, token))
                        .orElseThrow()
                        .why())
                .isEqualTo(
                        "its owner cannot use it: corp has not confirmed the account for 24 hours; a sign-in through it"
                                + " does so again");

        directory.start();
        clock.advance(Duration.ofMinutes(5));
        servers.turn(true);
        assertThat(access(token)).isPresent();
        assertThat(account(patient).grants()).isNotEmpty();
    }

    @Test
    void anEntryWithTheOldNameOrDnIsNeverTakenForThePerson() throws Exception {
        directory.person("reused", "sre");
        Account before = signIn("reused");
        directory.leave("sre", "reused");
        directory.delete("reused");
        directory.person("reused", "sre");
        clock.advance(Duration.ofMinutes(5));
        servers.turn(true);
        assertThat(account(before).grants()).isEmpty();
        assertThat(signIn("reused").id()).isNotEqualTo(before.id());
    }

    @Test
    void anUnknownNameCostsTheDirectoryAsMuchAsAWrongPassword() throws Exception {
        directory.person("known", "sre");
        Account known = signIn("known");
        List<Integer> wrong = work("known");
        assertThat(wrong).isEqualTo(List.of(2, 1));
        assertThat(work("unknown")).isEqualTo(wrong);
        assertThat(account(known).grants()).isNotEmpty();
    }

    private List<Integer> work(String name) throws Exception {
        List<Integer> before = directory.work();
        assertThat(new LdapDirectory(directory.settings(false), clock)
                        .ask(name, "wrong", Duration.ofSeconds(10))
                        .person())
                .isEmpty();
        List<Integer> after = directory.work();
        return List.of(after.get(0) - before.get(0), after.get(1) - before.get(1));
    }

    @Test
    void aRefusalAlwaysLeavesAtAWholeSecond() throws Exception {
        EvenRefusals refusals = new EvenRefusals(clock);
        assertThat(refusals.even(() -> "yes", "no"::equals)).isEqualTo("yes");
        for (long millis : new long[] {0, 203, 263, 999, 1_000, 1_700}) {
            long began = clock.nanoTime();
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> refusals.even(
                    () -> {
                        clock.advance(Duration.ofMillis(millis));
                        return "no";
                    },
                    "no"::equals));
            while (!answer.isDone()) {
                clock.advance(Duration.ofMillis(1));
            }
            assertThat(answer.get()).isEqualTo("no");
            assertThat(clock.nanoTime() - began)
                    .as("%s ms", millis)
                    .isGreaterThanOrEqualTo((millis / 1_000 + 1) * 1_000_000_000);
        }
    }

    @Test
    void aPersonWithoutAGroupIsToldApartFromAWrongPassword() throws Exception {
        directory.person("golfer", "staff");
        LdapDirectories all = new LdapDirectories(
                servers.directories(), servers.accounts(), new EvenRefusals(new ImmediateClock()), clock);
        PasswordDirectory.Answer answer = all.signIn("golfer", TestDirectory.PASSWORD);
        assertThat(answer.account()).isEmpty();
        assertThat(answer.noRole())
                .isEqualTo("corp: no group of go… (6 characters) has a role: the groups st… (5 characters) under"
                        + " ou=groups,dc=example,dc=com by (member={0}) (expected: one of sre, viewers)");
        assertThat(all.signIn("golfer", "wrong")).isEqualTo(PasswordDirectory.Answer.REFUSED);
        assertThat(new SignInCheck(
                                SignInSettings.LOCAL.withServers(List.of(), List.of(directory.settings(false))), people)
                        .of("golfer"))
                .contains("account: none of that name here; the first sign-in makes one")
                .contains("corp: no role, so the sign-in would be refused")
                .anyMatch(line -> line.contains("the groups st… (5 characters)"));
    }

    @Test
    void groupsWithinGroupsCountOnlyIfTheSettingsSaySo() throws Exception {
        directory.person("inner", "staff");
        directory.member("sre", TestDirectory.group("staff"));
        assertThat(directories(servers).signIn("inner", TestDirectory.PASSWORD).account())
                .isEmpty();
        ServerConfirmations nested = open(directory.settings(true));
        Account account = directories(nested)
                .signIn("inner", TestDirectory.PASSWORD)
                .account()
                .orElseThrow();
        assertThat(account.grants()).containsExactly(Grant.of(Role.OPERATOR));
    }

    private LdapDirectories directories(ServerConfirmations servers) {
        return new LdapDirectories(
                servers.directories(), servers.accounts(), new EvenRefusals(new ImmediateClock()), clock);
    }

    private Account signIn(String name) {
        return directories(servers)
                .signIn(name, TestDirectory.PASSWORD)
                .account()
                .orElseThrow();
    }

    private String token(Account account) {
        return database.write(client -> people.tokens()
                        .create(
                                client,
                                account.id(),
                                "ci",
                                Set.of(Scope.READ_ONLY),
                                Optional.empty(),
                                clock.epochMicros() / 1000 + ApiTokens.LONGEST.toMillis()))
                .secret();
    }

    private Optional<Access> access(String token) {
        return people.tokens().access(token);
    }

    private Account account(Account account) {
        return database.read(client -> people.accounts().find(client, account.id()))
                .orElseThrow();
    }
}
