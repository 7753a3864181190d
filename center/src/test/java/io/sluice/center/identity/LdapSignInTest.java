package io.sluice.center.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSimpleBindRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.identity.server.ServerState;
import io.sluice.center.identity.server.SignInFailedException;
import io.sluice.center.identity.server.SignInProblem;
import io.sluice.center.people.Account;
import io.sluice.center.people.Accounts;
import io.sluice.center.people.People;
import io.sluice.center.signin.settings.LdapServer;
import io.sluice.center.signin.settings.MappedRole;
import io.sluice.core.time.Clock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** People sign in with the password that a real LDAP server knows. */
class LdapSignInTest {

    private static final String PASSWORD = "correct horse";
    private static final String BASE = "dc=example,dc=com";

    private static final Queue<String> BINDS = new ConcurrentLinkedQueue<>();
    private static final Queue<String> SEARCHES = new ConcurrentLinkedQueue<>();
    private static InMemoryDirectoryServer server;
    private static Path secret;
    private static Database database;
    private static People people;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        secret = Files.writeString(directory.resolve("secret"), "search secret\n");
        server = open(0);
        server.add("dn: " + BASE, "objectClass: domain", "dc: example");
        for (String unit : List.of("people", "groups", "services")) {
            server.add("dn: ou=" + unit + "," + BASE, "objectClass: organizationalUnit", "ou: " + unit);
        }
        server.add(
                "dn: cn=sluice,ou=services," + BASE,
                "objectClass: device",
                "objectClass: simpleSecurityObject",
                "cn: sluice",
                "userPassword: search secret");
        for (String group : List.of("sre", "shop-admins")) {
            server.add(
                    "dn: cn=" + group + ",ou=groups," + BASE,
                    "objectClass: groupOfNames",
                    "cn: " + group,
                    "member: cn=sluice,ou=services," + BASE);
        }
        database = Database.open("", directory);
        people = People.of(database, new CommandLog(Clock.system()), Clock.system());
    }

    @AfterAll
    static void stop() {
        server.shutDown(true);
        database.close();
    }

    private static InMemoryDirectoryServer open(int port) throws Exception {
        InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig(BASE);
        config.setListenerConfigs(
                InMemoryListenerConfig.createLDAPConfig("plain", InetAddress.getLoopbackAddress(), port, null));
        config.addAdditionalBindCredentials("cn=root", PASSWORD);
        config.addInMemoryOperationInterceptor(new InMemoryOperationInterceptor() {
            @Override
            public void processSimpleBindRequest(InMemoryInterceptedSimpleBindRequest request) {
                BINDS.add(request.getRequest().getBindDN());
            }

            @Override
            public void processSearchRequest(InMemoryInterceptedSearchRequest request) {
                SEARCHES.add(request.getRequest().getFilter().toString());
            }
        });
        InMemoryDirectoryServer opened = new InMemoryDirectoryServer(config);
        opened.startListening();
        return opened;
    }

    @Test
    void signsInWithTheRolesOfTheGroups() throws Exception {
        person("ann", "sre", "shop-admins");
        Account account = signIn("ann", PASSWORD).orElseThrow();
        assertThat(account.name()).isEqualTo("ann");
        assertThat(account.origin()).isEqualTo("corp");
        assertThat(account.subject())
                .isEqualTo(server.getEntry(dn("ann"), "entryUUID").getAttributeValue("entryUUID"));
        assertThat(account.email()).isEqualTo("ann@example.com");
        assertThat(account.identity()).isEqualTo("ann@example.com");
        assertThat(account.grants())
                .containsExactlyInAnyOrder(Grant.of(Role.OPERATOR), Grant.of(Role.TENANT_ADMINISTRATOR, "shop"));
        assertThat(signIn("ANN", PASSWORD).map(Account::id)).contains(account.id());
        assertThat(signIn("ann", "wrong")).isEmpty();
        assertThat(signIn("nobody", PASSWORD)).isEmpty();
    }

    @Test
    void aRoleThatIsLostIsLostAtTheNextSignIn() throws Exception {
        person("moving", "sre", "shop-admins");
        Account before = signIn("moving", PASSWORD).orElseThrow();
        String session = people.sessions().begin(before, "FACTOR_PASSWORD");
        assertThat(signIn("moving", PASSWORD).map(Account::revision)).contains(before.revision());
        server.modify("cn=sre,ou=groups," + BASE, new Modification(ModificationType.DELETE, "member", dn("moving")));
        assertThat(signIn("moving", PASSWORD).orElseThrow().grants())
                .containsExactly(Grant.of(Role.TENANT_ADMINISTRATOR, "shop"));
        assertThat(people.sessions().find(session)).isEmpty();
    }

    @Test
    void nobodyWithoutAMappedRoleEverGetsIn() throws Exception {
        person("golfer");
        assertThat(signIn("golfer", PASSWORD)).isEmpty();
        assertThat(accounts()).noneMatch(account -> account.name().equals("golfer"));
    }

    @Test
    void anAccountIsNeverTakenOverByTheSameName() throws Exception {
        Account local = database.write(client -> people.accounts()
                .add(client, Accounts.Draft.local("root", "root@example.com", List.of(Grant.of(Role.ADMINISTRATOR)))));
        person("root", "sre");
        Account foreign = signIn("root", PASSWORD).orElseThrow();
        assertThat(foreign.id()).isNotEqualTo(local.id());
        assertThat(foreign.name()).isEqualTo("root-corp");
        assertThat(foreign.grants()).containsExactly(Grant.of(Role.OPERATOR));
        assertThat(foreign.identity()).isEqualTo(local.identity());
    }

    @Test
    void aNewEntryWithAnOldNameNeverGetsTheOldAccount() throws Exception {
        person("reused", "sre");
        Account before = signIn("reused", PASSWORD).orElseThrow();
        server.delete(dn("reused"));
        person("reused");
        server.modify("cn=sre,ou=groups," + BASE, new Modification(ModificationType.DELETE, "member", dn("reused")));
        server.modify("cn=sre,ou=groups," + BASE, new Modification(ModificationType.ADD, "member", dn("reused")));
        Account after = signIn("reused", PASSWORD).orElseThrow();
        assertThat(after.id()).isNotEqualTo(before.id());
    }

    @Test
    void anEmptyPasswordNeverReachesTheServer() throws Exception {
        person("empty", "sre");
        BINDS.clear();
        SEARCHES.clear();
        assertThat(signIn("empty", "")).isEmpty();
        assertThat(new LdapDirectory(settings("corp", server.getListenPort()), Clock.system())
                        .ask("empty", "", ServerState.MAX_DURATION)
                        .isKnown())
                .isFalse();
        assertThat(BINDS).isEmpty();
        assertThat(SEARCHES).isEmpty();
        assertThat(signIn("empty", " ")).isEmpty();
    }

    @Test
    void aNameIsNeverPartOfAFilter() throws Exception {
        person("eve", "sre");
        for (String name : List.of(
                "*",
                "e*",
                "eve)(uid=*",
                "*)(objectClass=*",
                "eve)(|(uid=*",
                "\\2a",
                "eve\u0000",
                "(",
                ")",
                "&",
                "ev?")) {
            SEARCHES.clear();
            assertThat(signIn(name, PASSWORD)).as(name).isEmpty();
            assertThat(SEARCHES).as(name).allMatch(filter -> filter.matches("\\(uid=[^()*]*\\)"));
        }
    }

    @Test
    void aDisabledAccountStaysOut() throws Exception {
        person("leaver", "sre");
        Account account = signIn("leaver", PASSWORD).orElseThrow();
        database.write(client -> people.accounts().replace(client, account.disabled(1)));
        assertThat(signIn("leaver", PASSWORD)).isEmpty();
    }

    @Test
    void aReferralIsNeverFollowed() throws Exception {
        try (ServerSocketChannel foreign = ServerSocketChannel.open()) {
            foreign.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            foreign.configureBlocking(false);
            server.add(
                    "dn: ou=elsewhere,ou=people," + BASE,
                    "objectClass: referral",
                    "objectClass: extensibleObject",
                    "ou: elsewhere",
                    "ref: ldap://127.0.0.1:" + foreign.socket().getLocalPort() + "/ou=people," + BASE);
            person("referred", "sre");
            assertThat(signIn("referred", PASSWORD)).isPresent();
            assertThat(signIn("elsewhere", PASSWORD)).isEmpty();
            assertThat(foreign.accept()).isNull();
        }
    }

    @Test
    void aServerThatIsAwayIsLeftOut() throws Exception {
        person("patient", "sre");
        InMemoryDirectoryServer away = open(0);
        int port = away.getListenPort();
        away.shutDown(true);
        assertThat(directories(settings("away", port))
                        .signIn("patient", PASSWORD)
                        .account())
                .isEmpty();
        assertThat(directories(settings("away", port), settings("corp", server.getListenPort()))
                        .signIn("patient", PASSWORD)
                        .account())
                .isPresent();
        int used = server.getListenPort();
        LdapDirectories both = directories(settings("corp", used));
        server.shutDown(true);
        try {
            assertThat(both.signIn("patient", PASSWORD).account()).isEmpty();
        } finally {
            server.startListening();
        }
        assertThat(directories(settings("corp", server.getListenPort()))
                        .signIn("patient", PASSWORD)
                        .account())
                .isPresent();
    }

    @Test
    void aWrongPasswordIsNeverTriedAtTheNextServer() throws Exception {
        person("first", "sre");
        LdapServer corp = settings("corp", server.getListenPort());
        LdapServer second = settings("second", server.getListenPort());
        BINDS.clear();
        assertThat(directories(corp, second).signIn("first", "wrong").account()).isEmpty();
        assertThat(BINDS.stream().filter(dn -> dn.startsWith("uid=first"))).hasSize(1);
    }

    @Test
    void aWrongPasswordOfTheSearchIsNotAnAnswer(@TempDir Path directory) throws Exception {
        person("searched", "sre");
        Path wrong = Files.writeString(directory.resolve("wrong"), "wrong");
        LdapServer good = settings("corp", server.getListenPort());
        LdapServer bad = new LdapServer(
                "corp",
                good.url(),
                false,
                Optional.empty(),
                Optional.of(new LdapServer.Bind("cn=sluice,ou=services," + BASE, wrong)),
                good.users(),
                good.groups(),
                good.roles());
        org.assertj.core.api.Assertions.assertThatThrownBy(() ->
                        new LdapDirectory(bad, Clock.system()).ask("searched", PASSWORD, ServerState.MAX_DURATION))
                .isInstanceOf(SignInFailedException.class)
                .matches(failure -> ((SignInFailedException) failure).problem() == SignInProblem.UNAVAILABLE);
    }

    private static Optional<Account> signIn(String name, String password) {
        return directories(settings("corp", server.getListenPort()))
                .signIn(name, password)
                .account();
    }

    private static LdapDirectories directories(LdapServer... servers) {
        return new LdapDirectories(
                List.of(servers).stream()
                        .map(each -> new LdapDirectory(each, Clock.system()))
                        .toList(),
                new ServerAccounts(people),
                new EvenRefusals(new ImmediateClock()),
                Clock.system());
    }

    private static LdapServer settings(String name, int port) {
        return new LdapServer(
                name,
                URI.create("ldap://127.0.0.1:" + port),
                false,
                Optional.empty(),
                Optional.of(new LdapServer.Bind("cn=sluice,ou=services," + BASE, secret)),
                LdapServer.Users.under("ou=people," + BASE),
                LdapServer.Groups.under("ou=groups," + BASE),
                List.of(
                        MappedRole.of("sre", "operator"),
                        MappedRole.of("shop-admins", "tenant_administrator", "shop")));
    }

    private static void person(String name, String... groups) throws Exception {
        server.add(
                "dn: " + dn(name),
                "objectClass: inetOrgPerson",
                "uid: " + name,
                "cn: " + name + " of Example",
                "sn: " + name,
                "mail: " + name + "@example.com",
                "userPassword: " + PASSWORD);
        for (String group : groups) {
            server.modify(
                    "cn=" + group + ",ou=groups," + BASE, new Modification(ModificationType.ADD, "member", dn(name)));
        }
    }

    private static String dn(String name) {
        return "uid=" + name + ",ou=people," + BASE;
    }

    private static List<Account> accounts() {
        return database.read(client -> people.accounts().all(client));
    }
}
