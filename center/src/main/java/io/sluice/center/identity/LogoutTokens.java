package io.sluice.center.identity;

import io.sluice.center.people.Secrets;
import io.sluice.center.signin.settings.OidcServer;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2ErrorCodes;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.Jwt;

/**
 * The rules for logout tokens of one server, as in OpenID Connect Back-Channel Logout 1.0. An ID token never passes, because it
 * has no event. The route that takes a token checks that it is used only once.
 */
final class LogoutTokens implements OAuth2TokenValidator<Jwt> {

    static final String SESSION = "sid";

    private static final String EVENT = "http://schemas.openid.net/event/backchannel-logout";

    private final OidcServer server;

    LogoutTokens(OidcServer server) {
        this.server = server;
    }

    @Override
    public OAuth2TokenValidatorResult validate(Jwt token) {
        @Nullable String wrong = wrong(token);
        return wrong == null
                ? OAuth2TokenValidatorResult.success()
                : OAuth2TokenValidatorResult.failure(
                        new OAuth2Error(OAuth2ErrorCodes.INVALID_TOKEN, "logout token: " + wrong, null));
    }

    private @Nullable String wrong(Jwt token) {
        @Nullable Object type = token.getHeaders().get("typ");
        if (type != null && !String.valueOf(type).toLowerCase(Locale.ROOT).matches("(application/)?(logout\\+)?jwt")) {
            return "of another type";
        }
        if (!server.issuer().toString().equals(String.valueOf(token.getClaims().get("iss")))) {
            return "of another issuer";
        }
        if (token.getAudience() == null || !token.getAudience().contains(server.clientId())) {
            return "for another client";
        }
        if (token.getIssuedAt() == null || token.getExpiresAt() == null) {
            return "without its times";
        }
        if (isEmpty(token.getId())) {
            return "without jti";
        }
        if (isEmpty(token.getSubject()) && isEmpty(token.getClaimAsString(SESSION))) {
            return "without sub and sid";
        }
        if (!(token.getClaims().get("events") instanceof Map<?, ?> events && events.get(EVENT) instanceof Map)) {
            return "without its event";
        }
        return token.hasClaim("nonce") ? "with a nonce" : null;
    }

    /** Returns the stored form of a session at a server; empty if the server does not name the session. */
    static String session(String server, @Nullable String sid) {
        return isEmpty(sid) ? "" : Secrets.hash(server + " " + sid);
    }

    private static boolean isEmpty(@Nullable String text) {
        return text == null || text.isEmpty();
    }
}
