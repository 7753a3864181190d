package io.sluice.center.identity;

import io.sluice.center.access.Grant;
import io.sluice.center.remote.Conversation;
import io.sluice.center.remote.RemoteSockets;
import io.sluice.center.settings.LdapServer;
import io.sluice.core.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.naming.directory.Attributes;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.IncorrectResultSizeDataAccessException;
import org.springframework.ldap.NamingException;
import org.springframework.ldap.core.ContextSource;
import org.springframework.ldap.core.DirContextOperations;
import org.springframework.ldap.core.LdapTemplate;
import org.springframework.ldap.core.support.DefaultTlsDirContextAuthenticationStrategy;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.userdetails.UsernameNotFoundException;
import org.springframework.security.ldap.DefaultSpringSecurityContextSource;
import org.springframework.security.ldap.authentication.BindAuthenticator;

/**
 * Checks a password at one LDAP server, by signing in there with it, and reads the groups of the person. Names become part of
 * filters only in escaped form. Referrals are not followed. Thread-safe.
 */
final class LdapDirectory implements AutoCloseable {

    private static final String NAME_ATTRIBUTE = "cn";

    private final LdapServer server;
    private final ServerState state;
    private volatile @Nullable Connector connector;

    /** How to reach the server with the password of the search that was read last. */
    private record Connector(String secret, Optional<SSLContext> trust, DefaultSpringSecurityContextSource source) {

        @Override
        public String toString() {
            return "Connector";
        }
    }

    LdapDirectory(LdapServer server, Clock clock) {
        this.server = server;
        this.state = new ServerState("ldap." + server.name(), clock, this::probe);
    }

    /** What a server says about a name and a password. */
    record Answer(boolean isKnown, Optional<ServerPerson> person) {

        static final Answer UNKNOWN = new Answer(false, Optional.empty());
        static final Answer WRONG = new Answer(true, Optional.empty());
    }

    /**
     * Asks the server.
     *
     * @param password not empty, because a server takes a sign-in without a password for one of nobody and agrees
     * @param limit the time that is left for it
     * @throws SignInFailedException if the server does not answer
     */
    Answer ask(String name, String password, Duration limit) throws SignInFailedException {
        if (password.isEmpty()) {
            return Answer.UNKNOWN;
        }
        return state.call(
                limit, conversation -> connected(conversation, source -> authenticated(source, name, password)));
    }

    /** Requires any answer at all. */
    @SuppressWarnings("BanJNDI") // no object is made of the answer
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

    private Answer authenticated(DefaultSpringSecurityContextSource source, String name, String password) {
        String[] attributes = {
            NAME_ATTRIBUTE, server.users().emailAttribute(), server.users().idAttribute()
        };
        BindAuthenticator authenticator = new BindAuthenticator(source);
        authenticator.setUserSearch(typed -> entry(source, typed, attributes));
        authenticator.setUserAttributes(attributes);
        DirContextOperations entry =
                authenticator.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(name, password));
        String dn = entry.getNameInNamespace();
        List<String> groups = new LdapSearch(
                        source, server.groups().base(), server.groups().filter())
                .values(List.of(dn, name), server.groups().attribute());
        return new Answer(true, Optional.of(person(name, dn, entry, Set.copyOf(groups))));
    }

    private DirContextOperations entry(ContextSource source, String name, String... attributes) {
        List<DirContextOperations> found = new LdapSearch(
                        source, server.users().base(), server.users().filter())
                .entries(List.of(name), attributes);
        if (found.isEmpty()) {
            throw UsernameNotFoundException.fromUsername(name);
        }
        if (found.size() > 1) {
            throw new IncorrectResultSizeDataAccessException(1, found.size());
        }
        return found.get(0);
    }

    private ServerPerson person(String name, String dn, DirContextOperations entry, Set<String> groups) {
        List<Grant> grants = server.roles().stream()
                .filter(role -> groups.contains(role.group()))
                .flatMap(role -> role.grants(Optional.empty()).stream())
                .toList();
        return new ServerPerson(
                server.name(),
                id(entry).orElse(dn),
                server.url().toString(),
                name,
                text(entry, NAME_ATTRIBUTE).orElse(name),
                text(entry, server.users().emailAttribute()).orElse(""),
                grants);
    }

    private Optional<String> id(DirContextOperations entry) {
        @Nullable Object id = entry.getObjectAttribute(server.users().idAttribute());
        return Optional.ofNullable(id)
                .map(value -> value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value.toString());
    }

    private static Optional<String> text(DirContextOperations entry, String attribute) {
        return entry.getObjectAttribute(attribute) instanceof String text ? Optional.of(text) : Optional.empty();
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
        // No replyQueueSize: a search that is given up then waits for ever for the thread that reads.
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

    /** Returns whether the server did not answer in time, and has not answered since. */
    boolean isSkipped() {
        return state.isSkipped();
    }

    @Override
    public void close() {
        state.close();
    }
}
