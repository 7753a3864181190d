package io.sluice.spring.web;

import java.security.Principal;
import java.util.Map;

/**
 * Finds the identity of an authenticated caller, as rules see it. Define a bean of this type to replace the default. It must be
 * fast, and is called by many threads.
 *
 * <pre>{@code
 * @Bean
 * IdentityResolver identities(Accounts accounts) {
 *     return principal -> Map.of("user", principal.getName(), "tenant", accounts.tenantOf(principal.getName()));
 * }
 * }</pre>
 *
 * <p>Rules trust the attributes that it returns. Never return values that a caller can choose.
 */
@FunctionalInterface
public interface IdentityResolver {

    /**
     * Returns the attributes {@code user}, {@code tenant}, {@code app}, {@code plan} and {@code claim.<name>} of the caller; an
     * empty map if the principal does not identify a caller.
     */
    Map<String, String> attributes(Principal principal);
}
