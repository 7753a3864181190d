package io.sluice.center.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSimpleBindRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import io.sluice.center.identity.server.ServerState;
import io.sluice.center.identity.server.SignInFailedException;
import io.sluice.center.identity.server.SignInProblem;
import io.sluice.center.signin.settings.LdapServer;
import io.sluice.center.signin.settings.MappedRole;
import io.sluice.core.time.Clock;
import io.sluice.testkit.process.SelfSigned;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory with a certificate of its own. */
class LdapEncryptionTest {

    private static final char[] PASSWORD = "changeit".toCharArray();

    private final Queue<String> binds = new ConcurrentLinkedQueue<>();

    @Test
    void aServerThatIsNotTrustedNeverSeesAPassword(@TempDir Path directory) throws Exception {
        SSLContext tls = tls(directory);
        InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=example,dc=com");
        config.setListenerConfigs(
                InMemoryListenerConfig.createLDAPSConfig("secure", null, 0, tls.getServerSocketFactory(), null),
                InMemoryListenerConfig.createLDAPConfig("plain", null, 0, tls.getSocketFactory()));
        config.addInMemoryOperationInterceptor(new InMemoryOperationInterceptor() {
            @Override
            public void processSimpleBindRequest(InMemoryInterceptedSimpleBindRequest request) {
                if (request.getRequest().getBindDN().startsWith("cn=sluice,")) {
                    binds.add(request.getRequest().getBindDN());
                }
            }
        });
        InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
        server.startListening();
        try {
            Path secret = Files.writeString(directory.resolve("secret"), "search secret");
            server.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
            server.add(
                    "dn: cn=sluice,dc=example,dc=com",
                    "objectClass: device",
                    "objectClass: simpleSecurityObject",
                    "cn: sluice",
                    "userPassword: search secret");
            String secure = ":" + server.getListenPort("secure");
            String plain = ":" + server.getListenPort("plain");
            Optional<Path> ca = Optional.of(directory.resolve("ldap.crt"));
            new SelfSigned(directory).make("another");
            for (Optional<Path> other :
                    List.of(Optional.<Path>empty(), Optional.of(directory.resolve("another.crt")))) {
                assertUnavailable(settings("ldaps://localhost" + secure, false, other, secret));
                assertUnavailable(settings("ldap://localhost" + plain, true, other, secret));
            }
            // A certificate for another name is not trusted either.
            assertUnavailable(settings("ldaps://127.0.0.2" + secure, false, ca, secret));
            assertUnavailable(settings("ldap://127.0.0.2" + plain, true, ca, secret));
            assertThat(binds).isEmpty();

            assertAsked(settings("ldaps://localhost" + secure, false, ca, secret));
            assertAsked(settings("ldap://localhost" + plain, true, ca, secret));
            assertThat(binds).hasSize(2);
        } finally {
            server.shutDown(true);
        }
    }

    private static void assertUnavailable(LdapServer server) {
        SignInFailedException failure =
                catchThrowableOfType(SignInFailedException.class, () -> new LdapDirectory(server, Clock.system())
                        .ask("ann", "correct horse", ServerState.MAX_DURATION));
        assertThat(failure.problem()).isEqualTo(SignInProblem.UNAVAILABLE);
    }

    private static void assertAsked(LdapServer server) throws Exception {
        assertThat(new LdapDirectory(server, Clock.system())
                        .ask("nobody", "correct horse", ServerState.MAX_DURATION)
                        .isKnown())
                .isFalse();
    }

    private static LdapServer settings(String url, boolean startTls, Optional<Path> ca, Path secret) {
        return new LdapServer(
                "corp",
                URI.create(url),
                startTls,
                ca,
                Optional.of(new LdapServer.Bind("cn=sluice,dc=example,dc=com", secret)),
                LdapServer.Users.under("dc=example,dc=com"),
                LdapServer.Groups.under("dc=example,dc=com"),
                List.of(MappedRole.of("sre", "operator")));
    }

    private static SSLContext tls(Path directory) throws Exception {
        new SelfSigned(directory).make("ldap");
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(directory.resolve("ldap.p12"))) {
            keys.load(in, PASSWORD);
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(managers.getKeyManagers(), null, null);
        return tls;
    }
}
