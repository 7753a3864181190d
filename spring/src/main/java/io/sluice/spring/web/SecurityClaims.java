package io.sluice.spring.web;

import java.security.Principal;
import java.util.Map;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.util.ClassUtils;

/** Reads the claims of tokens that Spring Security verified, as a resource server or at login. Immutable. */
public final class SecurityClaims implements VerifiedClaims {

    private static final boolean TOKENS = ClassUtils.isPresent(
            "org.springframework.security.oauth2.core.ClaimAccessor", SecurityClaims.class.getClassLoader());

    @Override
    public boolean isSomebody(Principal principal) {
        return !(principal instanceof Authentication authentication)
                || (authentication.isAuthenticated() && !(authentication instanceof AnonymousAuthenticationToken));
    }

    @Override
    public Map<String, Object> of(Principal principal) {
        return TOKENS && principal instanceof Authentication authentication
                ? TokenClaims.of(authentication.getPrincipal())
                : Map.of();
    }
}
