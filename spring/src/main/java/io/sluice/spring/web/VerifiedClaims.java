package io.sluice.spring.web;

import java.security.Principal;
import java.util.Map;

/** The verified facts about a principal besides its name. */
public interface VerifiedClaims {

    /** The claims in applications without Spring Security: every principal is an authenticated caller without claims. */
    VerifiedClaims NONE = new VerifiedClaims() {
        @Override
        public boolean isSomebody(Principal principal) {
            return true;
        }

        @Override
        public Map<String, Object> of(Principal principal) {
            return Map.of();
        }
    };

    /** Returns whether the principal identifies a single caller, as opposed to all anonymous callers. */
    boolean isSomebody(Principal principal);

    /** Returns the claims of the principal's verified token; an empty map if it has no token. */
    Map<String, Object> of(Principal principal);
}
