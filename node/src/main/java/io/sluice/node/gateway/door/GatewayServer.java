package io.sluice.node.gateway.door;

import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.sluice.node.access.Certificates;
import io.sluice.node.gateway.config.GatewaySettings;
import io.sluice.node.gateway.exchange.GatewayProblem;
import io.sluice.node.gateway.proxy.Deadlines;
import io.sluice.node.gateway.proxy.Framing;
import io.sluice.node.gateway.proxy.HttpForwarder;
import io.sluice.node.transport.Arrivals;
import io.sluice.node.transport.ClientConnections;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.ServerSSLOptions;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One event loop of the gateway. All instances share the port. */
final class GatewayServer extends VerticleBase {

    private static final Logger LOG = LoggerFactory.getLogger(GatewayServer.class);

    private static final int MOST_STREAMS = 256;
    private static final int STREAM_WINDOW = 64 * 1_024;

    /**
     * The window of a connection. All its streams share it, and a stream that is not read must not stop the others: it would take sixteen
     * such streams. Envoy recommends the same windows for servers at the edge.
     */
    private static final int CONNECTION_WINDOW = 1_024 * 1_024;

    private static final int CHUNK = 32 * 1_024;
    private static final int RESETS = 200;
    private static final int RESETS_SECONDS = 30;
    private static final int SMALL_CONTINUATIONS = 16;
    private static final long CONNECTIONS_TICK_MILLIS = 1_000;

    private final GatewaySettings settings;
    private final String host;
    private final int port;
    private final RequestEntry entry;
    private final Arrivals arrivals;
    private final Optional<ServerSSLOptions> tls;
    private final Consumer<HttpServer> listening;
    private final Deadlines deadlines = new Deadlines();
    private HttpForwarder forwarder;
    private ClientConnections connections;
    private HttpServer server;

    /**
     * Creates a server.
     *
     * @param port the port; all servers with the same negative number share one free port
     * @param listening receives the server once it listens
     */
    @SuppressWarnings("NullAway.Init") // Vert.x calls start before anything else
    GatewayServer(
            String host,
            int port,
            GatewaySettings settings,
            RequestEntry entry,
            Arrivals arrivals,
            Optional<ServerSSLOptions> tls,
            Consumer<HttpServer> listening) {
        this.host = host;
        this.port = port;
        this.settings = settings;
        this.entry = entry;
        this.arrivals = arrivals;
        this.tls = tls;
        this.listening = listening;
    }

    @Override
    public Future<?> start() {
        long idleSeconds = Math.max(1, settings.keepAlive().toSeconds());
        connections = new ClientConnections(arrivals, idleSeconds);
        forwarder = new HttpForwarder(vertx, settings, deadlines, connections);
        server = vertx.createHttpServer(options())
                .connectionHandler(connections::opened)
                .invalidRequestHandler(GatewayServer::refuse)
                .requestHandler(request -> connections.asked(request, this::handle));
        vertx.setPeriodic(Deadlines.TICK.toMillis(), timer -> deadlines.tick());
        vertx.setPeriodic(CONNECTIONS_TICK_MILLIS, timer -> connections.tick());
        return server.listen(port, host).onSuccess(listening::accept);
    }

    /** Asks callers to use other connections from now on. Requests that arrive are still answered. */
    Future<Void> leave() {
        Promise<Void> left = Promise.promise();
        context.runOnContext(now -> {
            connections.leave();
            left.complete();
        });
        return left.future();
    }

    /** Stops accepting connections and lets requests in flight finish. */
    @Override
    public Future<?> stop() {
        connections.stop();
        return server.shutdown(settings.drain());
    }

    private void handle(HttpServerRequest request) {
        if (request.version() != HttpVersion.HTTP_2) {
            admit(request);
            return;
        }
        // Runs after all data that arrived together has been read. A stream that was reset immediately then costs
        // nothing, and for nearly all other streams it is known whether a body follows. A stream that the server resets
        // is closed only when the reset has been sent, but fails immediately.
        request.pause();
        AtomicBoolean failed = new AtomicBoolean();
        request.exceptionHandler(failure -> failed.set(true));
        context.runOnContext(now -> {
            if (!failed.get() && !request.response().closed()) {
                admit(request);
            }
        });
    }

    private void admit(HttpServerRequest request) {
        if (request.method().equals(HttpMethod.CONNECT)) {
            request.pause();
            GatewayProblem.answer(request, 501, "method: CONNECT is not supported, nor is WebSocket over HTTP/2");
        } else if (Framing.of(request) == Framing.DOUBTFUL) {
            request.pause();
            GatewayProblem.answer(request, 400, "body: its length is ambiguous");
        } else {
            try {
                entry.handle(request, forwarder);
            } catch (RuntimeException e) {
                LOG.error("a request failed", e);
                GatewayProblem.answer(request, 500, "the gateway failed to answer; see its log");
            }
        }
    }

    /** Answers a request whose head could not be read. The server then closes the connection. */
    private static void refuse(HttpServerRequest request) {
        DecoderResult result = request.decoderResult();
        if (result.cause() instanceof TooLongHttpLineException) {
            GatewayProblem.answer(request, 414, "target: too long");
        } else if (result.cause() instanceof TooLongHttpHeaderException) {
            GatewayProblem.answer(request, 431, "headers: too large");
        } else {
            GatewayProblem.answer(request, 400, "head: not HTTP");
        }
    }

    private HttpServerOptions options() {
        HttpServerOptions options = new HttpServerOptions()
                .setIdleTimeout(0)
                .setTcpNoDelay(true)
                .setHandle100ContinueAutomatically(false)
                .setDecompressionSupported(false)
                .setCompressionSupported(false)
                // WebSockets are tunnels here. Their compression would close connections with 128 pipelined requests.
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setMaxInitialLineLength(settings.largestHeadBytes())
                .setMaxHeaderSize(settings.largestHeadBytes())
                .setMaxChunkSize(CHUNK)
                .setHttp2ConnectionWindowSize(CONNECTION_WINDOW)
                .setHttp2RstFloodMaxRstFramePerWindow(RESETS)
                .setHttp2RstFloodWindowDuration(RESETS_SECONDS)
                .setHttp2MaxSmallContinuationFrames(SMALL_CONTINUATIONS)
                .setInitialSettings(new Http2Settings()
                        .setMaxConcurrentStreams(MOST_STREAMS)
                        .setInitialWindowSize(STREAM_WINDOW)
                        .setMaxHeaderListSize(settings.largestHeadBytes()));
        tls.ifPresent(own -> Certificates.use(own, options));
        return options;
    }
}
