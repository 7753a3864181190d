package io.sluice.center.identity;

import io.sluice.center.identity.server.SecretFile;
import io.sluice.center.identity.server.ServerTrust;
import io.sluice.center.signin.PasswordDirectory;
import io.sluice.center.signin.RefusedRequests;
import io.sluice.center.signin.SessionCookie;
import io.sluice.center.signin.SessionStart;
import io.sluice.center.signin.SignInParts;
import io.sluice.center.signin.SignInServer;
import io.sluice.center.signin.SignInServers;
import io.sluice.center.signin.settings.LdapServer;
import io.sluice.center.signin.settings.OidcServer;
import io.sluice.center.signin.settings.SignInSettings;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Sign-in through the configured identity servers. No server is contacted before the first sign-in. */
@Configuration(proxyBeanMethods = false)
public final class IdentityConfiguration {

    @Bean
    SignInServers signInServers(SignInParts parts) {
        List<SignInServer> servers = parts.settings().oidc().stream()
                .map(server -> new SignInServer(server.name(), server.title(), "/sign-in/oidc/" + server.name()))
                .toList();
        return () -> servers;
    }

    @Bean
    OidcRoutes oidcRoutes(
            ServerConfirmations servers,
            SignInParts parts,
            SessionCookie cookie,
            SessionStart start,
            RefusedRequests refused) {
        return new OidcRoutes(
                servers.clients(),
                servers.accounts(),
                parts.people(),
                cookie,
                start,
                parts.throttle(),
                refused,
                parts.address());
    }

    @Bean
    LogoutRoutes logoutRoutes(ServerConfirmations servers, SignInParts parts, RefusedRequests refused) {
        return new LogoutRoutes(servers.clients(), parts.people(), parts.throttle(), refused);
    }

    @Bean
    PasswordDirectory ldapDirectories(ServerConfirmations servers, SignInParts parts) {
        return new LdapDirectories(
                servers.directories(), servers.accounts(), new EvenRefusals(parts.clock()), parts.clock());
    }

    /**
     * Requires that each secret can be read, so that a wrong setting is found at the start.
     *
     * @throws IOException with a sentence for the user
     */
    public static void requireSecrets(SignInSettings settings) throws IOException {
        for (OidcServer server : settings.oidc()) {
            String unused = SecretFile.of(server);
            Optional<SSLContext> unusedToo = trust(server);
        }
        for (LdapServer server : settings.ldap()) {
            Optional<SSLContext> unused = trust(server);
            if (server.bind().isPresent()) {
                String unusedToo = SecretFile.of(server, server.bind().get());
            }
        }
    }

    static Optional<SSLContext> trust(OidcServer server) throws IOException {
        return ServerTrust.context("center.oidc." + server.name() + ".ca", server.ca());
    }

    private static Optional<SSLContext> trust(LdapServer server) throws IOException {
        return ServerTrust.context("center.ldap." + server.name() + ".ca", server.ca());
    }
}
