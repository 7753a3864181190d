package io.sluice.center;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldif.LDIFException;
import io.sluice.center.signin.settings.LdapServer;
import io.sluice.center.signin.settings.MappedRole;
import io.sluice.testkit.Await;
import io.sluice.testkit.process.Ports;
import io.sluice.testkit.process.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A real OpenLDAP server on a free loopback port, with people and groups, and what its administrator does there. It needs Debian's package
 * slapd, which {@code ./test --long} installs. Only the account that searches can read, and passwords are stored as hashes.
 */
final class SlapdServer implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(5);
    private static final String SLAPD = "/usr/sbin/slapd";
    private static final String BASE = "dc=example,dc=com";
    private static final String ROOT = "cn=admin," + BASE;
    private static final String SERVICE = "cn=sluice,ou=services," + BASE;
    private static final String SECRET = "search secret";

    private final String name;
    private final int port = Ports.free();
    private final ServerProcess process;
    private LDAPConnection administrator;

    private SlapdServer(String name) {
        this.name = name;
        this.process = ServerProcess.start(this::command);
        this.administrator = awaitAnswer();
    }

    /** Starts one with three groups and nobody. */
    static SlapdServer start(String name) throws LDAPException, LDIFException {
        SlapdServer server = new SlapdServer(name);
        server.administrator.add("dn: " + BASE, "objectClass: domain", "dc: example");
        for (String unit : List.of("people", "groups", "services")) {
            server.administrator.add("dn: ou=" + unit + "," + BASE, "objectClass: organizationalUnit", "ou: " + unit);
        }
        server.administrator.add(
                "dn: " + SERVICE,
                "objectClass: device",
                "objectClass: simpleSecurityObject",
                "cn: sluice",
                "userPassword: " + SECRET);
        server.administrator.add(
                "dn: cn=policy," + BASE,
                "objectClass: device",
                "objectClass: pwdPolicy",
                "cn: policy",
                "pwdAttribute: userPassword",
                "pwdLockout: TRUE",
                "pwdMaxFailure: 1000");
        server.administrator.add(
                "dn: cn=strict," + BASE,
                "objectClass: device",
                "objectClass: pwdPolicy",
                "cn: strict",
                "pwdAttribute: userPassword",
                "pwdLockout: TRUE",
                "pwdMaxFailure: 1");
        for (String group : List.of("sre", "viewers", "staff")) {
            server.administrator.add(
                    "dn: " + group(group), "objectClass: groupOfNames", "cn: " + group, "member: " + SERVICE);
        }
        return server;
    }

    private List<String> command(Path folder) {
        if (!Files.isExecutable(Path.of(SLAPD))) {
            throw new IllegalStateException(SLAPD + " is missing (./test --long installs Debian's package slapd)");
        }
        try {
            Path data = Files.createDirectory(folder.resolve("data"));
            Path config =
                    Files.writeString(folder.resolve("slapd.conf"), """
                    modulepath /usr/lib/ldap
                    moduleload back_mdb
                    moduleload back_monitor
                    moduleload ppolicy
                    include /etc/ldap/schema/core.schema
                    include /etc/ldap/schema/cosine.schema
                    include /etc/ldap/schema/inetorgperson.schema

                    database mdb
                    suffix "%1$s"
                    rootdn "%2$s"
                    rootpw "%3$s"
                    directory %4$s
                    index entryUUID,uid,member eq
                    overlay ppolicy
                    ppolicy_default "cn=policy,%1$s"
                    ppolicy_hash_cleartext
                    access to attrs=userPassword by anonymous auth by * none
                    access to * by dn.exact="%5$s" read by * none

                    database monitor
                    access to * by dn.exact="%2$s" read by * none
                    """.formatted(BASE, ROOT, SECRET, data, SERVICE));
            return List.of(SLAPD, "-d", "0", "-f", config.toString(), "-h", uri().toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private LDAPConnection awaitAnswer() {
        AtomicReference<LDAPConnection> connection = new AtomicReference<>();
        Await.until("slapd answers", START, () -> {
            if (!process.isAlive()) {
                throw new IllegalStateException("slapd has ended: " + process.log());
            }
            try {
                connection.set(new LDAPConnection("127.0.0.1", port, ROOT, SECRET));
                return true;
            } catch (LDAPException e) {
                return false;
            }
        });
        return connection.get();
    }

    private URI uri() {
        return URI.create("ldap://127.0.0.1:" + port);
    }

    /**
     * Returns the settings for it. The groups sre and viewers have roles.
     *
     * @param folder for the file with the password of the search
     */
    LdapServer settings(Path folder, boolean isNested) throws IOException {
        return new LdapServer(
                name,
                uri(),
                false,
                Optional.empty(),
                Optional.of(new LdapServer.Bind(
                        SERVICE, Files.writeString(folder.resolve("secret-" + name), SECRET + "\n"))),
                LdapServer.Users.under("ou=people," + BASE),
                new LdapServer.Groups("ou=groups," + BASE, "(member={0})", "cn", isNested),
                List.of(MappedRole.of("sre", "operator"), MappedRole.of("viewers", "viewer")));
    }

    /** Adds a person to groups. */
    void person(String person, String... groups) throws LDAPException, LDIFException {
        administrator.add(
                "dn: " + dn(person),
                "objectClass: inetOrgPerson",
                "uid: " + person,
                "cn: " + person + " of Example",
                "sn: " + person,
                "mail: " + person + "@example.com",
                "userPassword: " + TestDirectory.PASSWORD);
        for (String group : groups) {
            member(group, dn(person));
        }
    }

    /** Makes an entry a member of a group. */
    void member(String group, String dn) throws LDAPException {
        administrator.modify(group(group), new Modification(ModificationType.ADD, "member", dn));
    }

    void leave(String group, String person) throws LDAPException {
        remove(group, dn(person));
    }

    /** Ends the membership of an entry in a group. */
    void remove(String group, String dn) throws LDAPException {
        administrator.modify(group(group), new Modification(ModificationType.DELETE, "member", dn));
    }

    void delete(String person) throws LDAPException {
        administrator.delete(dn(person));
    }

    /** Gives a person another uid, and so another DN. */
    void rename(String person, String to) throws LDAPException {
        administrator.modifyDN(dn(person), "uid=" + to, true);
    }

    /** Locks an entry until it is unlocked. */
    void lock(String person) throws LDAPException {
        administrator.modify(
                dn(person), new Modification(ModificationType.REPLACE, "pwdAccountLockedTime", "000001010000Z"));
    }

    void unlock(String person) throws LDAPException {
        administrator.modify(dn(person), new Modification(ModificationType.DELETE, "pwdAccountLockedTime"));
    }

    /** Locks an entry for some time after one wrong password. */
    void lockAfterOneWrongPassword(String person) throws LDAPException {
        administrator.modify(
                dn(person), new Modification(ModificationType.ADD, "pwdPolicySubentry", "cn=strict," + BASE));
    }

    /** Returns the operations that began while something ran, without those of the administrator. */
    Operations operationsOf(Runnable work) throws LDAPException {
        long binds = begun("Bind");
        long searches = begun("Search");
        work.run();
        // Two questions of the administrator are among the searches.
        return new Operations(begun("Bind") - binds, begun("Search") - searches - 2);
    }

    /** Operations at the server. */
    record Operations(long binds, long searches) {}

    private long begun(String operation) throws LDAPException {
        return Long.parseLong(administrator
                .getEntry("cn=" + operation + ",cn=Operations,cn=Monitor", "monitorOpInitiated")
                .getAttributeValue("monitorOpInitiated"));
    }

    static String dn(String person) {
        return "uid=" + person + ",ou=people," + BASE;
    }

    static String group(String name) {
        return "cn=" + name + ",ou=groups," + BASE;
    }

    /** Stops its process, so that connections are accepted and nothing is answered. */
    void freeze() {
        process.signal("STOP");
    }

    void unfreeze() {
        process.signal("CONT");
    }

    /** Kills it. */
    void stop() {
        administrator.close();
        process.kill();
    }

    /** Starts it again with its data. */
    void startAgain() {
        process.relaunch();
        administrator = awaitAnswer();
    }

    @Override
    public void close() {
        administrator.close();
        process.close();
    }
}
