package io.sluice.node.gateway.auth;

import io.sluice.core.time.Clock;
import io.sluice.node.gateway.config.AuthSettings;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Finds out who sent a request. Safe for use by many threads; never blocks. */
public interface Authenticators extends AutoCloseable {

    /** Nobody can prove anything. */
    Authenticators NONE = new Authenticators() {

        @Override
        public CompletionStage<Authentication> authenticate(HttpServerRequest request) {
            return CompletableFuture.completedFuture(new Authentication.Nothing());
        }

        @Override
        public Optional<String> challenge() {
            return Optional.empty();
        }

        @Override
        public Set<String> withheld() {
            return Set.of();
        }

        @Override
        public List<String> findings() {
            return List.of();
        }

        @Override
        public void close() {}
    };

    /** Reads keys and keeps them up to date. Those of a URL are fetched in the background: until they are there, tokens are answered 503. */
    static Authenticators open(AuthSettings settings, Clock clock) throws AuthUnreadableException {
        return Credentials.open(settings, clock);
    }

    /** What a request proves. The stage is complete already, unless keys have to be fetched first. */
    CompletionStage<Authentication> authenticate(HttpServerRequest request);

    /** What {@code WWW-Authenticate} says to those who showed nothing. */
    Optional<String> challenge();

    /** The headers of the request that are not sent on once somebody is verified. */
    Set<String> withheld();

    /** What is wrong with keys or where they come from, in sentences. */
    List<String> findings();

    /** Keeps nothing up to date any more; still verifies with what it has. */
    @Override
    void close();
}
