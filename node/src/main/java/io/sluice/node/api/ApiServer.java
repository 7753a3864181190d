package io.sluice.node.api;

import io.sluice.node.access.Certificates;
import io.sluice.node.transport.ClientConnections;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.ServerSSLOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** One event loop of the decision API. All instances of a node share the port. */
public final class ApiServer extends VerticleBase {

    /** Vert.x gives the same free port to all servers that ask for the same negative port. */
    private static final int SHARED_FREE_PORT = -1;

    private static final long TICK_MILLIS = 1_000;

    /**
     * The maximum number of concurrent streams. The JDK's client uses HTTP/2 by default, and fails instead of waiting beyond the maximum.
     */
    private static final int MOST_STREAMS = 1_000;

    static final Duration IN_FLIGHT = Duration.ofSeconds(10);

    private final ApiHandler handler;
    private final ClientConnections connections;
    private final MemoryBudget memory;
    private final String host;
    private final int port;
    private final Optional<ServerSSLOptions> tls;
    private final Consumer<HttpServer> listening;
    private HttpServer server;

    /**
     * Creates a server.
     *
     * @param port the port; 0 takes a free port, which all such servers share. Servers with the same negative number also share a free
     *     port
     * @param tls the certificates; empty for plain text
     * @param listening receives the server once it listens
     */
    @SuppressWarnings("NullAway.Init") // Vert.x calls start before anything else
    public ApiServer(
            ApiHandler handler,
            ClientConnections connections,
            MemoryBudget memory,
            String host,
            int port,
            Optional<ServerSSLOptions> tls,
            Consumer<HttpServer> listening) {
        this.handler = handler;
        this.connections = connections;
        this.memory = memory;
        this.host = host;
        this.port = port;
        this.tls = tls;
        this.listening = listening;
    }

    @Override
    public Future<?> start() {
        HttpServerOptions options = new HttpServerOptions()
                .setHandle100ContinueAutomatically(true)
                // WebSocket compression would close connections with 128 pipelined requests. There are no WebSockets
                // here.
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setInitialSettings(new Http2Settings().setMaxConcurrentStreams(MOST_STREAMS));
        tls.ifPresent(own -> Certificates.use(own, options));
        server = vertx.createHttpServer(options)
                .connectionHandler(connections::opened)
                .requestHandler(request -> connections.asked(request, this::handle));
        vertx.setPeriodic(TICK_MILLIS, timer -> {
            connections.tick();
            handler.tick();
        });
        return server.listen(port == 0 ? SHARED_FREE_PORT : port, host).onSuccess(listening::accept);
    }

    private void handle(HttpServerRequest request) {
        ApiExchange exchange = ApiExchange.of(request, memory, connections::cut);
        if (exchange.isOpen()) {
            handler.handle(exchange);
        }
        request.resume(); // the request is paused if it had to wait for room
    }

    /** Asks callers to use other connections from now on. Requests that arrive are still answered. */
    void leave() {
        context.runOnContext(now -> connections.leave());
    }

    /** Stops accepting connections and lets requests in flight finish. */
    @Override
    public Future<?> stop() {
        connections.stop();
        return server.shutdown(IN_FLIGHT);
    }
}
