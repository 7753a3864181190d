package io.sluice.spring.web;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.core.ClaimAccessor;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;

/**
 * Reads token types of Spring Security. This is a separate class, because not every application has these types on the class
 * path.
 */
final class TokenClaims {

    private TokenClaims() {}

    static Map<String, Object> of(@Nullable Object principal) {
        if (principal instanceof ClaimAccessor token) {
            return token.getClaims();
        }
        return principal instanceof OAuth2AuthenticatedPrincipal login ? login.getAttributes() : Map.of();
    }
}
