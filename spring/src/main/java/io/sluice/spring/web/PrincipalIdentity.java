package io.sluice.spring.web;

import io.sluice.http.request.ClaimText;
import java.security.Principal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The default identity resolver. It takes {@code user} from the principal's name or, if a claim is configured, from this claim, and {@code
 * tenant}, {@code app} and {@code plan} from claims. If a configured claim is missing, the attribute is absent; the name does not replace
 * it. Immutable.
 */
public final class PrincipalIdentity implements IdentityResolver {

    private static final String USER = "user";

    private final Map<String, String> claimOf;
    private final VerifiedClaims verified;

    /**
     * Creates a resolver.
     *
     * @param claimOf the names of the claims by attribute, for the attributes {@code user}, {@code tenant}, {@code app} and {@code plan}
     *     that come from a claim
     */
    public PrincipalIdentity(Map<String, String> claimOf, VerifiedClaims verified) {
        this.claimOf = Map.copyOf(claimOf);
        this.verified = verified;
    }

    @Override
    public Map<String, String> attributes(Principal principal) {
        if (!verified.isSomebody(principal)) {
            return Map.of();
        }
        Map<String, String> attributes = new HashMap<>();
        Map<String, Object> claims = verified.of(principal);
        claims.forEach((name, value) -> put("claim." + name, value, attributes));
        claimOf.forEach((attribute, claim) -> put(attribute, claims.get(claim), attributes));
        if (!claimOf.containsKey(USER)) {
            put(USER, principal.getName(), attributes);
        }
        return attributes;
    }

    private static void put(String attribute, @Nullable Object value, Map<String, String> attributes) {
        String text = ClaimText.of(value);
        if (text != null) {
            attributes.put(attribute, text);
        }
    }
}
