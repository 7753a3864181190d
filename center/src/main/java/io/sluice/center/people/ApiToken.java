package io.sluice.center.people;

import io.sluice.center.access.Scope;
import java.util.Optional;
import java.util.Set;

/**
 * A token of a program, without its secret.
 *
 * @param account the account that owns the token; 0 if the token was created on the machine itself
 * @param tenant the only tenant that the token gives access to
 * @param usedAt the last use to within a minute, in milliseconds since the epoch; 0 if the token was never used
 * @param revokedAt 0 while the token is valid
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

    /** Returns whether the token is neither revoked nor expired. The account that owns the token may be disabled. */
    public boolean isValid(long now) {
        return revokedAt == 0 && expiresAt > now;
    }
}
