package io.sluice.center.token;

import io.sluice.center.people.ApiTokens;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A new token.
 *
 * @param secret the secret that a program presents; it is returned only once
 * @param restsAt the time at which the token is suspended unless its owner signs in through the identity server before; null if no such
 *     sign-in is needed
 */
public record NewTokenReply(
        String secret, TokenReply token, @Nullable Instant restsAt) {

    static NewTokenReply of(ApiTokens.Created created, @Nullable String owner, long now, Optional<Instant> restsAt) {
        return new NewTokenReply(created.secret(), TokenReply.of(created.token(), owner, now), restsAt.orElse(null));
    }

    @Override
    public String toString() {
        return "NewTokenReply[" + token + "]";
    }
}
