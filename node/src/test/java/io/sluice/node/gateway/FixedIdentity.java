package io.sluice.node.gateway;

import io.sluice.node.gateway.auth.Authentication;
import io.sluice.node.gateway.auth.Authenticators;
import io.sluice.node.gateway.auth.Identity;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Identifies every caller as the same user. */
public record FixedIdentity(String user) implements Authenticators {

    @Override
    public CompletionStage<Authentication> authenticate(HttpServerRequest request) {
        return CompletableFuture.completedFuture(new Authentication.Verified(new Identity(Map.of("user", user))));
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
}
