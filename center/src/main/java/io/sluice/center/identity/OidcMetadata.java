package io.sluice.center.identity;

import io.sluice.center.identity.server.SignInFailedException;
import io.sluice.center.identity.server.SignInProblem;
import io.sluice.center.signin.settings.OidcServer;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.core.oidc.IdTokenClaimNames;

/**
 * The metadata that a server publishes about itself. It may name only addresses at the issuer's own host or at a host that the
 * settings allow, so the center contacts no other host.
 */
final class OidcMetadata {

    private static final String USER_INFO = "userinfo_endpoint";

    private OidcMetadata() {}

    /** Returns the address of the document. */
    static URI address(OidcServer server) {
        return URI.create(server.issuer().toString().replaceFirst("/+$", "") + "/.well-known/openid-configuration");
    }

    /**
     * Returns the registration for conversations with the server.
     *
     * @throws SignInFailedException if the document belongs to another server or names foreign addresses
     */
    static ClientRegistration.Builder registration(OidcServer server, Map<String, Object> document)
            throws SignInFailedException {
        if (!server.issuer().toString().equals(document.get("issuer"))) {
            throw unusable("its issuer is not " + server.issuer());
        }
        for (String endpoint : new String[] {"authorization_endpoint", "token_endpoint", "jwks_uri"}) {
            Optional<URI> address = address(document.get(endpoint));
            if (address.isEmpty() || !isAllowed(server, address.get())) {
                throw unusable("its " + endpoint + " is missing or at another host than the issuer (expected: a host"
                        + " that hosts lists)");
            }
        }
        boolean hasUserInfo = address(document.get(USER_INFO))
                .filter(address -> isAllowed(server, address))
                .isPresent();
        try {
            ClientRegistration.Builder builder = ClientRegistrations.fromOidcConfiguration(document)
                    .registrationId(server.name())
                    .clientName(server.title())
                    .userNameAttributeName(IdTokenClaimNames.SUB)
                    .clientId(server.clientId())
                    .scope(server.scopes());
            return hasUserInfo ? builder : builder.userInfoUri(null);
        } catch (RuntimeException e) {
            throw new SignInFailedException(
                    SignInProblem.UNAVAILABLE, "its metadata cannot be read: " + e.getMessage(), e);
        }
    }

    private static Optional<URI> address(@Nullable Object value) {
        try {
            return value instanceof String text ? Optional.of(URI.create(text)) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static boolean isAllowed(OidcServer server, URI address) {
        String authority = String.valueOf(address.getRawAuthority());
        return server.issuer().getScheme().equals(address.getScheme())
                && (authority.equalsIgnoreCase(server.issuer().getRawAuthority())
                        || server.hosts().contains(authority));
    }

    private static SignInFailedException unusable(String why) {
        return new SignInFailedException(SignInProblem.UNAVAILABLE, "its metadata cannot be used: " + why);
    }
}
