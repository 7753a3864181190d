package io.sluice.center.identity;

import io.sluice.center.access.Grant;
import io.sluice.center.settings.LdapServer;
import java.io.IOException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.IncorrectResultSizeDataAccessException;
import org.springframework.ldap.NamingException;
import org.springframework.ldap.core.DirContextOperations;
import org.springframework.ldap.core.support.DefaultTlsDirContextAuthenticationStrategy;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.userdetails.UsernameNotFoundException;
import org.springframework.security.ldap.DefaultSpringSecurityContextSource;
import org.springframework.security.ldap.authentication.BindAuthenticator;
import org.springframework.security.ldap.search.FilterBasedLdapUserSearch;
import org.springframework.security.ldap.userdetails.DefaultLdapAuthoritiesPopulator;

/**
 * Checks a password at one LDAP server, by signing in there with it, and reads the groups of the person. Names become part of
 * filters only in escaped form. Referrals are not followed. Thread-safe.
 */
final class LdapDirectory {

    private static final String CONNECT_MILLIS = "10000";
    private static final String READ_MILLIS = "30000";

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

    LdapDirectory(LdapServer server) {
        this.server = server;
        this.state = new ServerState("ldap." + server.name());
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
     * @throws SignInFailedException if the server does not answer
     */
    Answer ask(String name, String password) throws SignInFailedException {
        if (password.isEmpty()) {
            return Answer.UNKNOWN;
        }
        return state.call(() -> {
            try {
                Connector connected = connector();
                connected.trust().ifPresent(LdapSockets::trust);
                return authenticated(connected.source(), name, password);
            } catch (UsernameNotFoundException e) {
                return Answer.UNKNOWN;
            } catch (BadCredentialsException | IncorrectResultSizeDataAccessException e) {
                return Answer.WRONG;
            } catch (NamingException | IOException | IllegalArgumentException e) {
                throw new SignInFailedException(
                        SignInProblem.UNAVAILABLE, "the server cannot be used: " + reason(e), e);
            } finally {
                LdapSockets.clear();
            }
        });
    }

    private Answer authenticated(DefaultSpringSecurityContextSource source, String name, String password) {
        FilterBasedLdapUserSearch search = new FilterBasedLdapUserSearch(
                server.users().base(), server.users().filter(), source);
        search.setReturningAttributes(new String[] {"*", server.users().idAttribute()});
        BindAuthenticator authenticator = new BindAuthenticator(source);
        authenticator.setUserSearch(search);
        DirContextOperations entry =
                authenticator.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(name, password));
        DefaultLdapAuthoritiesPopulator groups =
                new DefaultLdapAuthoritiesPopulator(source, server.groups().base());
        groups.setGroupSearchFilter(server.groups().filter());
        groups.setGroupRoleAttribute(server.groups().attribute());
        groups.setSearchSubtree(true);
        groups.setRolePrefix("");
        groups.setConvertToUpperCase(false);
        groups.setIgnorePartialResultException(true);
        String dn = entry.getNameInNamespace();
        Set<String> names = groups.getGroupMembershipRoles(dn, name).stream()
                .map(GrantedAuthority::getAuthority)
                .collect(Collectors.toSet());
        return new Answer(true, Optional.of(person(name, dn, entry, names)));
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
                text(entry, "cn").orElse(name),
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
        environment.put("com.sun.jndi.ldap.connect.timeout", CONNECT_MILLIS);
        environment.put("com.sun.jndi.ldap.read.timeout", READ_MILLIS);
        environment.put("java.naming.ldap.attributes.binary", "objectGUID");
        if (trust.isPresent() && !server.startTls()) {
            environment.put("java.naming.ldap.factory.socket", LdapSockets.class.getName());
        }
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
}
