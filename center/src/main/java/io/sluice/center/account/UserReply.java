package io.sluice.center.account;

import io.sluice.center.access.GrantsJson;
import io.sluice.center.people.Account;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * An account.
 *
 * @param revision rises with each change
 * @param origin local, or the name of an identity server
 * @param hasPassword whether the account can sign in with its own password
 * @param link a new one-time link, which is returned only once; otherwise null
 */
public record UserReply(
        long id,
        long revision,
        String user,
        String displayName,
        String email,
        String origin,
        JsonNode roles,
        boolean disabled,
        boolean hasPassword,
        Instant createdAt,
        Instant changedAt,
        @Nullable String link) {

    static UserReply of(Account account) {
        return of(account, null);
    }

    static UserReply of(Account account, @Nullable String link) {
        return new UserReply(
                account.id(),
                account.revision(),
                account.name(),
                account.displayName(),
                account.email(),
                account.origin(),
                GrantsJson.write(account.grants()),
                account.isDisabled(),
                !account.password().isEmpty(),
                Instant.ofEpochMilli(account.createdAt()),
                Instant.ofEpochMilli(account.changedAt()),
                link);
    }
}
