package io.sluice.node.gateway;

import io.sluice.core.time.Clock;
import io.sluice.http.request.ForwardingHeader;
import io.sluice.http.request.RequestTarget;
import io.sluice.node.gateway.config.GatewaySettings;
import io.sluice.node.gateway.door.GatewayDoor;
import io.sluice.node.gateway.door.RequestEntry;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.exchange.IncomingBody;
import io.sluice.node.gateway.proxy.Forwarder;
import io.sluice.node.gateway.route.Access;
import io.sluice.node.gateway.route.Route;
import io.sluice.node.transport.Arrivals;
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

/** The proxy with the shortest possible chain: one route for everything. */
public final class TestGateway implements AutoCloseable {

    /** The settings that a test can change. */
    public static final class Wishes {
        public boolean http2;
        public Optional<ClientSSLOptions> tls = Optional.empty();
        Duration requestTimeout = Duration.ofMinutes(5);
        public Duration idleTimeout = Duration.ofMinutes(5);
        long largestBody = 1L << 40;
        public List<ForwardingHeader> believed = List.of();
        public UnaryOperator<GatewaySettings> settings = same -> same;
        public Consumer<GatewayExchange> before = exchange -> {};
        public Forwarder.AnswerStep after = (exchange, status, then) -> then.run();
        public RequestEntry entry;
    }

    public final Vertx vertx;
    public final FixedUpstreams upstreams;
    public final GatewayDoor door;
    private final Wishes wishes;
    private final Route route;
    private final Arrivals arrivals;

    public TestGateway(Consumer<Wishes> changes, URI... origins) {
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
        door = new GatewayDoor(vertx, arrivals, Clock.system());
        try {
            door.open(
                    "127.0.0.1",
                    wishes.settings.apply(GatewaySettings.ofPort(0)),
                    wishes.entry == null ? this::handle : wishes.entry);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static TestGateway to(URI... origins) {
        return new TestGateway(none -> {}, origins);
    }

    private void handle(HttpServerRequest request, Forwarder forwarder) {
        IncomingBody incoming = new IncomingBody(request);
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

    /** Advances the time for connections without a complete request by one second, which is all they have. */
    void tickArrivals() {
        arrivals.tick(1);
    }

    public int port() {
        return door.port();
    }

    public RawClient client() throws IOException {
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
