package io.sluice.envoy.server;

import io.netty.channel.Channel;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Who may connect and call.
 *
 * @param connections tells whether a new connection may stay; asked once for each, when it is accepted
 * @param tokens tells whether the values of the {@code authorization} metadata are a valid token; calls without one are answered
 *     {@code UNAUTHENTICATED}, except those to the health service
 */
public record AllowedCallers(Predicate<Channel> connections, Optional<Predicate<List<String>>> tokens) {

    /** Everybody, on any number of connections. */
    public static final AllowedCallers ALL = new AllowedCallers(connection -> true, Optional.empty());
}
