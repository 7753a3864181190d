package io.sluice.envoy.server;

import io.netty.channel.Channel;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The clients that may connect and call.
 *
 * @param connections decides whether a new connection may stay; called once for each connection, when it is accepted
 * @param tokens accepts the values of the {@code authorization} metadata if they are a valid token; calls without a valid token are
 *     answered {@code UNAUTHENTICATED}, except calls to the health service
 */
public record AllowedCallers(Predicate<Channel> connections, Optional<Predicate<List<String>>> tokens) {

    /** All clients, on any number of connections. */
    public static final AllowedCallers ALL = new AllowedCallers(connection -> true, Optional.empty());
}
