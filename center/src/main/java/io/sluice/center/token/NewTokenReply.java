package io.sluice.center.token;

import io.sluice.center.people.ApiTokens;
import org.jspecify.annotations.Nullable;

/**
 * A new token.
 *
 * @param secret what a program presents; it is shown here and never again
 */
public record NewTokenReply(String secret, TokenReply token) {

    static NewTokenReply of(ApiTokens.Created created, @Nullable String owner, long now) {
        return new NewTokenReply(created.secret(), TokenReply.of(created.token(), owner, now));
    }

    @Override
    public String toString() {
        return "NewTokenReply[" + token + "]";
    }
}
