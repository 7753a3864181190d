package io.sluice.center.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.identity.server.ServerState;
import io.sluice.center.identity.server.SignInFailedException;
import io.sluice.center.identity.server.SignInProblem;
import io.sluice.center.people.Account;
import io.sluice.center.people.People;
import io.sluice.center.signin.settings.LdapServer;
import io.sluice.center.signin.settings.MappedRole;
import io.sluice.core.time.Clock;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories whose answers have no end, come slowly or never come. */
class BrokenDirectoryTest {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** More than a megabyte and what the system buffers. */
    private static final long BOUNDED = 16_000_000;

    private static final String BASE = "dc=example,dc=com";
    private static final String PASSWORD = "correct horse";

    private final QuietClock clock = QuietClock.at(1_800_000_000_000_000L);

    @Test
    void anAnswerWithoutAnEndIsCutOff() throws Exception {
        try (RawDirectory directory = RawDirectory.open(RawDirectory.Way.ENTRIES)) {
            assertUnavailable(directory, "more than 1000 entries");
            assertThat(directory.sent()).isLessThan(BOUNDED);
        }
        try (RawDirectory directory = RawDirectory.open(RawDirectory.Way.VALUE)) {
            assertUnavailable(directory, "more than 1048576 bytes");
            assertThat(directory.sent()).isLessThan(BOUNDED);
        }
    }

    private void assertUnavailable(RawDirectory server, String why) {
        try (LdapDirectory directory = directory("raw", server.port())) {
            SignInFailedException failure = catchThrowableOfType(
                    SignInFailedException.class, () -> directory.ask("ann", PASSWORD, ServerState.MAX_DURATION));
            assertThat(failure.problem()).isEqualTo(SignInProblem.UNAVAILABLE);
            assertThat(failure).hasMessageContaining(why);
        }
    }

    @Test
    void oneDeadlineEndsAnAnswerThatComesEntryByEntry() throws Exception {
        try (RawDirectory server = RawDirectory.open(RawDirectory.Way.SLOWLY);
                LdapDirectory directory = directory("slow", server.port())) {
            FutureTask<SignInFailedException> asked = start(() -> catchThrowableOfType(
                    SignInFailedException.class, () -> directory.ask("ann", PASSWORD, ServerState.MAX_DURATION)));
            await("the search", () -> server.searches() == 1);
            for (int i = 1; i < ServerState.MAX_DURATION.toSeconds(); i++) {
                server.next();
                clock.advance(Duration.ofSeconds(1));
                assertThat(asked.isDone()).isFalse();
            }
            clock.advance(Duration.ofSeconds(1));
            assertThat(asked.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasMessageContaining("no complete answer (expected: within 10 s)");
        }
    }

    @Test
    void aDirectoryThatIsKnownToBeAwayKeepsNobodyWaiting(@TempDir Path folder) throws Exception {
        InMemoryDirectoryServer second = people();
        Database database = Database.open("", folder);
        People people = People.of(database, new CommandLog(Clock.system()), Clock.system());
        try (RawDirectory server = RawDirectory.open(RawDirectory.Way.FROZEN);
                LdapDirectory frozen = directory("frozen", server.port());
                LdapDirectories both = new LdapDirectories(
                        List.of(frozen, directory("second", second.getListenPort())),
                        new ServerAccounts(people),
                        new EvenRefusals(new ImmediateClock()),
                        clock)) {
            FutureTask<Optional<Account>> first =
                    start(() -> both.signIn("ann", PASSWORD).account());
            await("the connection", () -> server.connections() == 1);
            clock.advance(ServerState.MAX_DURATION);
            assertThat(first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isPresent();

            // From now on the clock stands still, so an answer proves that nothing waits.
            assertThat(start(() -> both.signIn("ann", PASSWORD).account()).get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isPresent();
            assertThat(start(() -> both.signIn("ann", "wrong").account()).get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEmpty();
            assertThat(server.connections()).isEqualTo(1);

            // A probe that is not answered changes nothing.
            clock.advance(ServerState.PROBE_PAUSE);
            await("the first probe", () -> server.connections() == 2);
            clock.advance(ServerState.MAX_DURATION);
            assertThat(frozen.isSkipped()).isTrue();

            server.answer(RawDirectory.Way.NOBODY);
            await("a probe that is answered", () -> {
                clock.advance(ServerState.PROBE_PAUSE);
                return !frozen.isSkipped();
            });
            int searches = server.searches();
            assertThat(start(() -> both.signIn("ann", PASSWORD).account()).get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isPresent();
            assertThat(server.searches()).isGreaterThan(searches);
        } finally {
            database.close();
            second.shutDown(true);
        }
    }

    @Test
    void eightAskAServerAtOnceAndTheNextIsRefusedWithoutWaiting() throws Exception {
        try (RawDirectory server = RawDirectory.open(RawDirectory.Way.FROZEN);
                LdapDirectory directory = directory("full", server.port())) {
            // Less than the limit of the server, which would be skipped after that.
            Duration limit = ServerState.MAX_DURATION.minusSeconds(1);
            List<FutureTask<SignInFailedException>> waiting = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                waiting.add(start(() -> failure(directory, limit)));
            }
            await("eight connections", () -> server.connections() == 8);
            // The clock stands still, so these answers prove that nobody waits.
            for (int i = 0; i < 20; i++) {
                assertThat(start(() -> failure(directory, limit)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .hasMessage("too many requests wait for the server");
            }
            assertThat(server.connections()).isEqualTo(8);
            assertThat(waiting).noneMatch(FutureTask::isDone);

            clock.advance(limit);
            for (FutureTask<SignInFailedException> each : waiting) {
                assertThat(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasMessageContaining("no complete answer");
            }
            server.answer(RawDirectory.Way.NOBODY);
            assertThat(directory.ask("ann", PASSWORD, limit)).isEqualTo(LdapDirectory.Answer.UNKNOWN);
        }
    }

    private static SignInFailedException failure(LdapDirectory directory, Duration limit) {
        return catchThrowableOfType(SignInFailedException.class, () -> directory.ask("ann", PASSWORD, limit));
    }

    private static <T> FutureTask<T> start(Callable<T> task) {
        FutureTask<T> future = new FutureTask<>(task);
        Thread thread = new Thread(future);
        thread.setDaemon(true);
        thread.start();
        return future;
    }

    private static void await(String what, BooleanSupplier condition) {
        Await.until(what, PATIENCE, condition);
    }

    private static InMemoryDirectoryServer people() throws Exception {
        InMemoryDirectoryServer server = new InMemoryDirectoryServer(new InMemoryDirectoryServerConfig(BASE));
        server.startListening();
        server.add("dn: " + BASE, "objectClass: domain", "dc: example");
        server.add(
                "dn: uid=ann," + BASE,
                "objectClass: inetOrgPerson",
                "uid: ann",
                "cn: Ann",
                "sn: Ann",
                "userPassword: " + PASSWORD);
        server.add("dn: cn=sre," + BASE, "objectClass: groupOfNames", "cn: sre", "member: uid=ann," + BASE);
        return server;
    }

    private LdapDirectory directory(String name, int port) {
        return new LdapDirectory(
                new LdapServer(
                        name,
                        URI.create("ldap://127.0.0.1:" + port),
                        false,
                        Optional.empty(),
                        Optional.empty(),
                        LdapServer.Users.under(BASE),
                        LdapServer.Groups.under(BASE),
                        List.of(MappedRole.of("sre", "operator"))),
                clock);
    }
}
