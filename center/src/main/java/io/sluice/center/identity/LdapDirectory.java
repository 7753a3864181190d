package io.sluice.center.identity;

import io.sluice.center.access.Grant;
import io.sluice.center.identity.server.Evidence;
import io.sluice.center.identity.server.SecretFile;
import io.sluice.center.identity.server.ServerPerson;
import io.sluice.center.identity.server.ServerState;
import io.sluice.center.identity.server.ServerTrust;
import io.sluice.center.identity.server.SignInFailedException;
import io.sluice.center.identity.server.SignInProblem;
import io.sluice.center.people.Account;
import io.sluice.center.people.Secrets;
import io.sluice.center.remote.Conversation;
import io.sluice.center.remote.RemoteSockets;
import io.sluice.center.signin.settings.LdapServer;
import io.sluice.center.signin.settings.MappedRole;
import io.sluice.core.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import javax.naming.directory.Attributes;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.IncorrectResultSizeDataAccessException;
import org.springframework.ldap.NamingException;
import org.springframework.ldap.core.DirContextOperations;
import org.springframework.ldap.core.LdapTemplate;
import org.springframework.ldap.core.support.DefaultTlsDirContextAuthenticationStrategy;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.userdetails.UsernameNotFoundException;
import org.springframework.security.ldap.DefaultSpringSecurityContextSource;
import org.springframework.security.ldap.authentication.BindAuthenticator;

/**
 * Checks a password by signing in with it at one LDAP server, and reads the groups of the person. Names become part of filters
 * only in escaped form. Referrals are not followed. Thread-safe.
 */
final class LdapDirectory implements AutoCloseable {

    /** The maximum depth of groups within groups. */
    private static final int MAX_DEPTH = 5;

    private final LdapServer server;
    private final ServerState state;
    private final LdapEntries entries;
    private volatile @Nullable Connector connector;

    /** The connection to the server with the search password that was read last. */
    private record Connector(String secret, Optional<SSLContext> trust, DefaultSpringSecurityContextSource source) {

        @Override
        public String toString() {
            return "Connector";
        }
    }

    LdapDirectory(LdapServer server, Clock clock) {
        this.server = server;
        this.state = new ServerState("ldap." + server.name(), clock, this::probe);
        this.entries = new LdapEntries(server);
    }

    LdapServer server() {
        return server;
    }

    /** The answer of a server to a name and a password. */
    record Answer(boolean isKnown, Optional<ServerPerson> person) {

        static final Answer UNKNOWN = new Answer(false, Optional.empty());
        static final Answer WRONG = new Answer(true, Optional.empty());
    }

    /**
     * Checks a name and a password.
     *
     * @param password the password; must not be empty, because servers accept a sign-in without a password as anonymous
     * @param limit the remaining time
     * @throws SignInFailedException if the server does not answer
     */
    Answer ask(String name, String password, Duration limit) throws SignInFailedException {
        return ask(source -> entries.named(source, name), password, name, limit);
    }

    /**
     * Checks the password of an account. The person is found by the identifier that never changes, because the account may have
     * another name here.
     *
     * @param password the password; must not be empty
     * @throws SignInFailedException if the server does not answer
     */
    Answer ask(Account account, String password, Duration limit) throws SignInFailedException {
        return ask(source -> entries.of(source, account), password, account.name(), limit);
    }

    /**
     * Looks up the person of an account without a password.
     *
     * @return the person; empty if the server no longer has such an entry, or if the entry cannot be used
     * @throws SignInFailedException if the server does not answer
     */
    Optional<ServerPerson> look(Account account) throws SignInFailedException {
        return look(source -> entries.of(source, account), account.name());
    }

    /** Looks up the person of a typed name without a password. */
    Optional<ServerPerson> look(String name) throws SignInFailedException {
        return look(source -> entries.named(source, name), name);
    }

    private Optional<ServerPerson> look(Search search, String name) throws SignInFailedException {
        return state.call(conversation -> connected(conversation, source -> {
                    DirContextOperations entry = search.in(source);
                    return LdapEntries.isLocked(entry)
                            ? Answer.WRONG
                            : new Answer(true, Optional.of(person(source, entry, name)));
                }))
                .person();
    }

    private Answer ask(Search search, String password, String name, Duration limit) throws SignInFailedException {
        if (password.isEmpty()) {
            return Answer.UNKNOWN;
        }
        return state.call(
                limit,
                conversation -> connected(conversation, source -> {
                    try {
                        return authenticated(source, search, password, name);
                    } catch (UsernameNotFoundException e) {
                        bindInVain(source);
                        return Answer.UNKNOWN;
                    }
                }));
    }

    /**
     * Binds with a random name and password, so that an unknown name costs as many connections and requests as a wrong password.
     * The typed password is not sent.
     */
    private void bindInVain(DefaultSpringSecurityContextSource source) {
        try {
            source.getContext("cn=" + Secrets.random() + "," + server.users().base(), Secrets.random())
                    .close();
        } catch (org.springframework.ldap.AuthenticationException e) {
            // Expected, because the name and the password are random.
        } catch (javax.naming.NamingException e) {
            // The connection was never used.
        }
    }

    /** A search for the entry of a person. */
    private interface Search {
        DirContextOperations in(DefaultSpringSecurityContextSource source);
    }

    /** Requests any answer. */
    @SuppressWarnings("BanJNDI") // the answer is not turned into objects
    private Answer probe(Conversation conversation) throws SignInFailedException {
        return connected(conversation, source -> {
            Attributes unused = new LdapTemplate(source)
                    .executeReadOnly(context -> context.getAttributes("", new String[] {"vendorName"}));
            return Answer.UNKNOWN;
        });
    }

    private interface Question {
        Answer ask(DefaultSpringSecurityContextSource source);
    }

    private Answer connected(Conversation conversation, Question question) throws SignInFailedException {
        try {
            Connector connected = connector();
            SSLSocketFactory tls = connected.trust().isPresent()
                    ? connected.trust().get().getSocketFactory()
                    : (SSLSocketFactory) SSLSocketFactory.getDefault();
            LdapSockets.use(
                    new RemoteSockets(conversation, tls),
                    server.url().getScheme().equals("ldaps"));
            return question.ask(connected.source());
        } catch (UsernameNotFoundException e) {
            return Answer.UNKNOWN;
        } catch (BadCredentialsException | IncorrectResultSizeDataAccessException e) {
            return Answer.WRONG;
        } catch (NamingException | IOException | IllegalArgumentException e) {
            throw new SignInFailedException(SignInProblem.UNAVAILABLE, "the server cannot be used: " + reason(e), e);
        } finally {
            LdapSockets.clear();
        }
    }

    private Answer authenticated(
            DefaultSpringSecurityContextSource source, Search search, String password, String name) {
        BindAuthenticator authenticator = new BindAuthenticator(source);
        authenticator.setUserSearch(typed -> search.in(source));
        authenticator.setUserAttributes(entries.attributes());
        DirContextOperations entry =
                authenticator.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(name, password));
        return LdapEntries.isLocked(entry) ? Answer.WRONG : new Answer(true, Optional.of(person(source, entry, name)));
    }

    private ServerPerson person(DefaultSpringSecurityContextSource source, DirContextOperations entry, String typed) {
        String dn = entry.getNameInNamespace();
        String name = entries.name(entry).orElse(typed);
        Set<String> groups = groups(source, dn, name);
        List<Grant> grants = server.roles().stream()
                .filter(role -> groups.contains(role.group()))
                .flatMap(role -> role.grants(Optional.empty()).stream())
                .toList();
        return new ServerPerson(
                server.name(),
                entries.id(entry).orElse(dn),
                server.url().toString(),
                name,
                LdapEntries.text(entry, LdapEntries.NAME_ATTRIBUTE).orElse(name),
                LdapEntries.text(entry, server.users().emailAttribute()).orElse(""),
                grants,
                Evidence.groups(
                        server.groups().base(),
                        server.groups().filter(),
                        groups,
                        server.roles().stream().map(MappedRole::group).toList()));
    }

    /** Returns the names of the groups of an entry, and of the groups that contain these groups if the settings require it. */
    private Set<String> groups(DefaultSpringSecurityContextSource source, String dn, String name) {
        LdapSearch search =
                new LdapSearch(source, server.groups().base(), server.groups().filter());
        String attribute = server.groups().attribute();
        Set<String> names = new HashSet<>(search.values(List.of(dn, name), attribute));
        Set<String> seen = new HashSet<>();
        List<String> members = server.groups().isNested() ? List.of(dn) : List.of();
        for (int depth = 0; depth <= MAX_DEPTH && !members.isEmpty(); depth++) {
            List<String> next = new ArrayList<>();
            for (String member : members) {
                for (DirContextOperations group : search.entries(List.of(member, name), attribute)) {
                    if (seen.add(group.getNameInNamespace())) {
                        next.add(group.getNameInNamespace());
                        names.addAll(List.of(
                                Objects.requireNonNullElse(group.getStringAttributes(attribute), new String[0])));
                    }
                }
            }
            members = next;
        }
        return names;
    }

    private Connector connector() throws IOException {
        String secret =
                server.bind().isPresent() ? SecretFile.of(server, server.bind().get()) : "";
        Connector known = connector;
        if (known == null || !known.secret().equals(secret)) {
            Optional<SSLContext> trust = ServerTrust.context("center.ldap." + server.name() + ".ca", server.ca());
            known = new Connector(secret, trust, source(secret, trust));
            connector = known;
        }
        return known;
    }

    private DefaultSpringSecurityContextSource source(String secret, Optional<SSLContext> trust) {
        DefaultSpringSecurityContextSource source =
                new DefaultSpringSecurityContextSource(server.url().toString());
        if (server.bind().isPresent()) {
            source.setUserDn(server.bind().get().dn());
            source.setPassword(secret);
        } else {
            source.setAnonymousReadOnly(true);
        }
        source.setPooled(false);
        source.setReferral("ignore");
        Map<String, Object> environment = new HashMap<>();
        // replyQueueSize is not set, because an abandoned search would then wait forever for the thread that reads.
        environment.put("java.naming.ldap.attributes.binary", "objectGUID");
        environment.put("java.naming.ldap.factory.socket", LdapSockets.class.getName());
        source.setBaseEnvironmentProperties(environment);
        if (server.startTls()) {
            DefaultTlsDirContextAuthenticationStrategy tls = new DefaultTlsDirContextAuthenticationStrategy();
            tls.setShutdownTlsGracefully(true);
            trust.ifPresent(context -> tls.setSslSocketFactory(context.getSocketFactory()));
            source.setAuthenticationStrategy(tls);
        }
        source.afterPropertiesSet();
        return source;
    }

    private static String reason(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return (root.getClass().getSimpleName() + ": " + root.getMessage()).replaceAll("\\p{Cntrl}", " ");
    }

    /** Returns whether the server did not answer in time and has not answered since. */
    boolean isSkipped() {
        return state.isSkipped();
    }

    @Override
    public void close() {
        state.close();
    }
}
