package io.sluice.center.signin.settings;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A server where people sign in with OpenID Connect. Immutable.
 *
 * @param name the origin of the accounts of this server, and a part of addresses
 * @param title the name that people see
 * @param issuer the issuer, as the server writes it
 * @param clientSecretFile the file with the secret of this client
 * @param hosts other hosts that may serve the server's endpoints, such as {@code oauth2.googleapis.com}
 * @param ca a PEM file with the authorities that may issue the server's certificate; without it, those that Java trusts
 */
public record OidcServer(
        String name,
        String title,
        URI issuer,
        String clientId,
        Path clientSecretFile,
        List<String> scopes,
        Set<String> hosts,
        Optional<Path> ca,
        Claims claims,
        List<MappedRole> roles) {

    /** The scopes that a request needs by default. */
    public static final List<String> DEFAULT_SCOPES = List.of("openid", "email", "profile");

    /**
     * The claims that describe a person. A dot leads into a claim, as in {@code realm_access.roles}.
     *
     * @param user the name of the person
     * @param roles the groups
     * @param tenant the tenants, if the server knows them; roles are then limited to these tenants
     */
    public record Claims(String user, String roles, Optional<String> tenant) {

        /** The claims that most servers use. */
        public static final Claims USUAL = new Claims("preferred_username", "groups", Optional.empty());
    }

    public OidcServer {
        ServerNames.require(name);
        scopes = List.copyOf(scopes);
        hosts = Set.copyOf(hosts);
        roles = List.copyOf(roles);
        if (!scopes.contains("openid")) {
            throw new IllegalArgumentException("scopes: without openid (expected: at least openid)");
        }
    }
}
