package io.sluice.center.people;

import io.sluice.center.access.Scope;
import java.util.Optional;
import java.util.Set;

/**
 * A token of a program, without its secret.
 *
 * @param account its owner; 0 if it was made on the machine itself
 * @param tenant the only tenant that it is for
 * @param usedAt about when it was used last, in milliseconds since the epoch; 0 if never
 * @param revokedAt 0 while it is valid
 */
public record ApiToken(
        long id,
        String name,
        long account,
        Set<Scope> scopes,
        Optional<String> tenant,
        long createdAt,
        long expiresAt,
        long usedAt,
        long revokedAt) {

    public ApiToken {
        scopes = Set.copyOf(scopes);
    }

    /** Returns whether it is neither revoked nor expired. Its owner may be disabled. */
    public boolean isValid(long now) {
        return revokedAt == 0 && expiresAt > now;
    }
}
