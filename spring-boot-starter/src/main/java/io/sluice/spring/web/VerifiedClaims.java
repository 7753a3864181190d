package io.sluice.spring.web;

import java.security.Principal;
import java.util.Map;

/** What is known of a principal besides its name. */
public interface VerifiedClaims {

    /** For applications without Spring Security: everybody who is there is somebody, and has no claims. */
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

    /** Whether it stands for one caller, and not for all who are not known. */
    boolean isSomebody(Principal principal);

    /** The claims of its verified token; none if it has no token. */
    Map<String, Object> of(Principal principal);
}
