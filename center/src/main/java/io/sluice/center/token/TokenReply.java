package io.sluice.center.token;

import io.sluice.center.access.Scope;
import io.sluice.center.people.ApiToken;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A token, without its secret.
 *
 * @param owner the account; null if the token was created on the machine itself
 * @param tenant the only tenant that the token gives access to
 * @param usedAt the last use to within a minute
 * @param valid whether it is neither revoked nor expired
 */
public record TokenReply(
        long id,
        String name,
        @Nullable String owner,
        List<String> scopes,
        @Nullable String tenant,
        Instant createdAt,
        Instant expiresAt,
        @Nullable Instant usedAt,
        @Nullable Instant revokedAt,
        boolean valid) {

    static TokenReply of(ApiToken token, @Nullable String owner, long now) {
        return new TokenReply(
                token.id(),
                token.name(),
                owner,
                token.scopes().stream().map(Scope::word).sorted().toList(),
                token.tenant().orElse(null),
                Instant.ofEpochMilli(token.createdAt()),
                Instant.ofEpochMilli(token.expiresAt()),
                instant(token.usedAt()),
                instant(token.revokedAt()),
                token.isValid(now));
    }

    private static @Nullable Instant instant(long millis) {
        return millis == 0 ? null : Instant.ofEpochMilli(millis);
    }
}
