package io.sluice.center.signin.settings;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The address of a center and its ways of signing in. Immutable.
 *
 * @param publicUrl the address for people; without it, {@code localhost} with the center's port
 * @param tls the certificate of the center; without it, the center speaks HTTP
 * @param trustedProxies networks of proxies that are trusted to name the address of a caller, such as {@code 10.0.0.0/8}
 * @param oidc the servers where people sign in
 * @param ldap the directories that check passwords, in the order in which they are asked
 * @param checkEvery the interval at which identity servers are asked about people who do not sign in
 */
public record SignInSettings(
        Optional<URI> publicUrl,
        Optional<TlsFiles> tls,
        List<String> trustedProxies,
        List<OidcServer> oidc,
        List<LdapServer> ldap,
        Duration checkEvery) {

    /** The default interval at which identity servers are asked. */
    public static final Duration DEFAULT_CHECK = Duration.ofMinutes(5);

    /** Only people on this machine, with local accounts. */
    public static final SignInSettings LOCAL =
            new SignInSettings(Optional.empty(), Optional.empty(), List.of(), List.of(), List.of(), DEFAULT_CHECK);

    public SignInSettings {
        trustedProxies = List.copyOf(trustedProxies);
        oidc = List.copyOf(oidc);
        ldap = List.copyOf(ldap);
        ServerNames.requireDifferent(
                Stream.concat(oidc.stream().map(OidcServer::name), ldap.stream().map(LdapServer::name))
                        .toList());
    }

    public SignInSettings withPublicUrl(URI url) {
        return new SignInSettings(Optional.of(url), tls, trustedProxies, oidc, ldap, checkEvery);
    }

    public SignInSettings withTls(TlsFiles files) {
        return new SignInSettings(publicUrl, Optional.of(files), trustedProxies, oidc, ldap, checkEvery);
    }

    public SignInSettings withTrustedProxies(List<String> networks) {
        return new SignInSettings(publicUrl, tls, networks, oidc, ldap, checkEvery);
    }

    /** Returns the same settings with identity servers. */
    public SignInSettings withServers(List<OidcServer> otherOidc, List<LdapServer> otherLdap) {
        return new SignInSettings(publicUrl, tls, trustedProxies, otherOidc, otherLdap, checkEvery);
    }

    /** Returns the same settings with another interval of questions to identity servers. */
    public SignInSettings withCheckEvery(Duration interval) {
        return new SignInSettings(publicUrl, tls, trustedProxies, oidc, ldap, interval);
    }
}
