package io.sluice.node.gateway.auth;

import io.sluice.core.time.Clock;
import io.sluice.node.gateway.config.AuthSettings;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Verifies the identity of callers. Thread-safe; never blocks. */
public interface Authenticators extends AutoCloseable {

    /** Accepts no credentials. */
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

    /**
     * Reads keys and keeps them up to date. Keys of a URL are fetched in the background; until they arrive, tokens are answered
     * with 503.
     */
    static Authenticators open(AuthSettings settings, Clock clock) throws AuthUnreadableException {
        return Credentials.open(settings, clock);
    }

    /**
     * Authenticates a request. The stage is already complete unless a token is new, so that its signature has to be verified, or
     * keys have to be fetched first.
     */
    CompletionStage<Authentication> authenticate(HttpServerRequest request);

    /** Returns the value of {@code WWW-Authenticate} for requests without credentials. */
    Optional<String> challenge();

    /** Returns the request headers that are not forwarded once the caller is verified. */
    Set<String> withheld();

    /** Returns the problems of keys and their sources, as sentences. */
    List<String> findings();

    /** Stops updating the keys. Requests can still be verified with the present keys. */
    @Override
    void close();
}
