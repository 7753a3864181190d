package io.sluice.node.gateway;

import io.sluice.node.internal.Arrivals;
import io.sluice.rules.ForwardingHeader;
import io.sluice.rules.RequestTarget;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.ClientSSLOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The proxy with the shortest of chains: one route for everything. */
final class TestGateway implements AutoCloseable {

    /** What a test wants different. */
    static final class Wishes {
        boolean http2;
        Optional<ClientSSLOptions> tls = Optional.empty();
        Duration requestTimeout = Duration.ofMinutes(5);
        Duration idleTimeout = Duration.ofMinutes(5);
        long largestBody = 1L << 40;
        List<ForwardingHeader> believed = List.of();
        UnaryOperator<GatewaySettings> settings = same -> same;
        Consumer<GatewayExchange> before = exchange -> {};
        Forwarder.AnswerStep after = (exchange, status, then) -> then.run();
        RequestEntry entry;
    }

    final Vertx vertx;
    final FixedUpstreams upstreams;
    final GatewayDoor door;
    private final Wishes wishes;
    private final Route route;
    private final Arrivals arrivals;

    TestGateway(Consumer<Wishes> changes, URI... origins) {
        wishes = new Wishes();
        changes.accept(wishes);
        upstreams = new FixedUpstreams(wishes.http2, wishes.tls, List.of(origins));
        route = new Route(
                "test",
                Optional.empty(),
                Access.OPEN,
                upstreams,
                wishes.requestTimeout,
                wishes.idleTimeout,
                wishes.largestBody);
        arrivals = Arrivals.overBestTransport();
        vertx = Vertx.builder().withTransport(arrivals).build();
        door = new GatewayDoor(vertx, arrivals);
        try {
            door.open(
                    "127.0.0.1",
                    wishes.settings.apply(GatewaySettings.ofPort(0)),
                    wishes.entry == null ? this::handle : wishes.entry);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static TestGateway to(URI... origins) {
        return new TestGateway(none -> {}, origins);
    }

    private void handle(HttpServerRequest request, Forwarder forwarder) {
        Incoming incoming = new Incoming(request);
        String authority = String.valueOf(request.authority());
        GatewayExchange exchange = new GatewayExchange(
                incoming,
                new GatewayExchange.Parsed(
                        "id-1",
                        request.method().name(),
                        "shop.example",
                        authority,
                        String.valueOf(request.path()),
                        new RequestTarget(null, request.uri()),
                        null,
                        wishes.believed),
                route);
        wishes.before.accept(exchange);
        if (exchange.isOpen()) {
            forwarder.forward(exchange, wishes.after);
        }
    }

    /** Lets a second pass for connections from which no whole request has come, of which they have one. */
    void tickArrivals() {
        arrivals.tick(1);
    }

    int port() {
        return door.port();
    }

    RawClient client() throws IOException {
        return new RawClient(new Socket(InetAddress.getLoopbackAddress(), port()));
    }

    @Override
    public void close() {
        door.close();
        try {
            vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
