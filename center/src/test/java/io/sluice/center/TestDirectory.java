package io.sluice.center;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSimpleBindRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldif.LDIFException;
import io.sluice.center.signin.settings.LdapServer;
import io.sluice.center.signin.settings.MappedRole;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** A real LDAP server with people and groups. It can be away for a while. */
public final class TestDirectory implements AutoCloseable {

    public static final String PASSWORD = "correct horse";

    private static final String BASE = "dc=example,dc=com";
    private static final String SERVICE = "cn=sluice,ou=services," + BASE;

    private final AtomicInteger binds = new AtomicInteger();
    private final AtomicInteger searches = new AtomicInteger();
    private final InMemoryDirectoryServer server;
    private final int port;
    private final Path secret;

    private TestDirectory(Path folder) throws LDAPException, LDIFException, IOException {
        secret = Files.writeString(folder.resolve("ldap-secret"), "search secret\n");
        InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig(BASE);
        config.setSchema(null);
        config.setListenerConfigs(
                InMemoryListenerConfig.createLDAPConfig("plain", InetAddress.getLoopbackAddress(), 0, null));
        config.addInMemoryOperationInterceptor(new InMemoryOperationInterceptor() {
            @Override
            public void processSimpleBindRequest(InMemoryInterceptedSimpleBindRequest request) {
                binds.incrementAndGet();
            }

            @Override
            public void processSearchRequest(InMemoryInterceptedSearchRequest request) {
                searches.incrementAndGet();
            }
        });
        server = new InMemoryDirectoryServer(config);
        server.startListening();
        port = server.getListenPort();
        server.add("dn: " + BASE, "objectClass: domain", "dc: example");
        for (String unit : List.of("people", "groups", "services")) {
            server.add("dn: ou=" + unit + "," + BASE, "objectClass: organizationalUnit", "ou: " + unit);
        }
        server.add("dn: " + SERVICE, "objectClass: device", "cn: sluice", "userPassword: search secret");
        for (String group : List.of("sre", "viewers", "staff")) {
            server.add("dn: " + group(group), "objectClass: groupOfNames", "cn: " + group, "member: " + SERVICE);
        }
    }

    public static TestDirectory open(Path folder) throws LDAPException, LDIFException, IOException {
        return new TestDirectory(folder);
    }

    /** Returns the settings for it. The groups sre and viewers have roles. */
    public LdapServer settings(boolean nested) {
        return new LdapServer(
                "corp",
                URI.create("ldap://127.0.0.1:" + port),
                false,
                Optional.empty(),
                Optional.of(new LdapServer.Bind(SERVICE, secret)),
                LdapServer.Users.under("ou=people," + BASE),
                new LdapServer.Groups("ou=groups," + BASE, "(member={0})", "cn", nested),
                List.of(MappedRole.of("sre", "operator"), MappedRole.of("viewers", "viewer")));
    }

    /** Adds a person to groups. */
    public void person(String name, String... groups) throws LDAPException, LDIFException {
        server.add(
                "dn: " + dn(name),
                "objectClass: inetOrgPerson",
                "uid: " + name,
                "cn: " + name + " of Example",
                "sn: " + name,
                "mail: " + name.replaceAll("[^a-z]", "x") + "@example.com",
                "userPassword: " + PASSWORD);
        for (String group : groups) {
            member(group, dn(name));
        }
    }

    /** Makes an entry a member of a group. */
    public void member(String group, String dn) throws LDAPException {
        server.modify(group(group), new Modification(ModificationType.ADD, "member", dn));
    }

    public void leave(String group, String name) throws LDAPException {
        server.modify(group(group), new Modification(ModificationType.DELETE, "member", dn(name)));
    }

    public void delete(String name) throws LDAPException {
        server.delete(dn(name));
    }

    public void set(String name, String attribute, String value) throws LDAPException {
        server.modify(dn(name), new Modification(ModificationType.REPLACE, attribute, value));
    }

    /** Gives a person another uid, and so another DN. */
    public void rename(String name, String to) throws LDAPException {
        server.modifyDN(dn(name), "uid=" + to, true);
    }

    public static String dn(String name) {
        return "uid=" + name + ",ou=people," + BASE;
    }

    public static String group(String name) {
        return "cn=" + name + ",ou=groups," + BASE;
    }

    /** Returns the connections with a password and the questions so far. */
    public List<Integer> work() {
        return List.of(binds.get(), searches.get());
    }

    /** Makes it unreachable. */
    public void stop() {
        server.shutDown(true);
    }

    /** Makes it reachable again, on its port. */
    public void start() throws LDAPException {
        server.startListening();
    }

    @Override
    public void close() {
        stop();
    }
}
