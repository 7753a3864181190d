package io.sluice.node.gateway.proxy;

import io.sluice.node.gateway.config.GatewaySettings;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.route.UpstreamGroup.Turn;
import io.sluice.node.transport.ClientConnections;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Forwards requests over pooled connections, with HTTP/1.1 or HTTP/2 as configured for each upstream.
 *
 * <p>The proxy of Vert.x ({@code vertx-http-proxy}) forwards hop-by-hop headers, lets upgrades bypass the chain and loses trailers; see
 * {@code docs/adr/0014-a-proxy-of-our-own.md}.
 */
public final class HttpForwarder implements Forwarder {

    public static final int MOST_CONNECTIONS = 1_024;
    private static final int MOST_HTTP2_CONNECTIONS = 8;
    private static final int MOST_WAITING = 1_024;

    /**
     * The time for which an idle connection is kept. It is shorter than the default timeout of most servers, which might otherwise close
     * the connection just when a request is sent. A timeout that the server announces takes precedence.
     */
    private static final int KEEP_ALIVE_SECONDS = 15;

    private static final int LARGEST_ANSWER_HEAD = 64 * 1_024;
    private static final int CHUNK = 32 * 1_024;
    private static final int STREAM_WINDOW = 256 * 1_024;
    private static final int CONNECTION_WINDOW = 4 * 1_024 * 1_024;
    private static final int MOST_ORIGINS = 1_000;

    private final Context context;
    private final HttpClient http1;
    private final HttpClient http2;
    private final Deadlines deadlines;
    private final ClientConnections callers;
    private final Map<URI, SocketAddress> servers = new HashMap<>();

    /** Creates a forwarder for the calling event loop. */
    public HttpForwarder(Vertx vertx, GatewaySettings settings, Deadlines deadlines, ClientConnections callers) {
        this.context = vertx.getOrCreateContext();
        this.deadlines = deadlines;
        this.callers = callers;
        PoolOptions pool = new PoolOptions()
                .setHttp1MaxSize(MOST_CONNECTIONS)
                .setHttp2MaxSize(MOST_HTTP2_CONNECTIONS)
                .setMaxWaitQueueSize(MOST_WAITING);
        this.http1 = client(vertx, options(settings).setProtocolVersion(HttpVersion.HTTP_1_1), pool);
        this.http2 = client(
                vertx,
                options(settings)
                        .setProtocolVersion(HttpVersion.HTTP_2)
                        .setUseAlpn(true)
                        .setAlpnVersions(List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1))
                        .setHttp2ClearTextUpgrade(false)
                        .setHttp2ConnectionWindowSize(CONNECTION_WINDOW)
                        .setHttp2KeepAliveTimeout(KEEP_ALIVE_SECONDS)
                        .setInitialSettings(new Http2Settings()
                                .setPushEnabled(false)
                                .setInitialWindowSize(STREAM_WINDOW)
                                .setMaxHeaderListSize(LARGEST_ANSWER_HEAD)),
                pool);
    }

    @Override
    public void forward(GatewayExchange exchange, AnswerStep after) {
        new Forwarding(this, exchange, after).begin();
    }

    Deadlines deadlines() {
        return deadlines;
    }

    Context context() {
        return context;
    }

    void tunnelled(HttpConnection connection) {
        callers.forget(connection);
    }

    /** Ends a connection, even if it holds unread data. */
    void cut(HttpConnection connection) {
        callers.cut(connection);
    }

    /** Returns a connection, from the pool or a new one; fails if no connection is possible. */
    Future<HttpClientRequest> request(Turn turn, GatewayExchange.Parsed parsed, boolean upgrade) {
        URI origin = turn.origin();
        boolean tls = origin.getScheme().equals("https");
        SocketAddress server = server(origin, tls);
        RequestOptions options = new RequestOptions()
                .setMethod(HttpMethod.valueOf(parsed.method()))
                .setURI(parsed.target().text())
                .setServer(server)
                .setHost(server.host())
                .setPort(server.port())
                .setSsl(tls);
        if (tls && turn.tls().isPresent()) {
            options.setSslOptions(turn.tls().get());
        }
        return (turn.http2() && !upgrade ? http2 : http1).request(options);
    }

    private SocketAddress server(URI origin, boolean tls) {
        SocketAddress known = servers.get(origin);
        if (known != null) {
            return known;
        }
        if (servers.size() >= MOST_ORIGINS) {
            servers.clear();
        }
        int port = origin.getPort() > 0 ? origin.getPort() : tls ? 443 : 80;
        // IPv6 addresses keep their brackets: the client builds an authority from it before it builds an address.
        SocketAddress server = SocketAddress.inetSocketAddress(port, origin.getHost());
        servers.put(origin, server);
        return server;
    }

    /** Failures of a connection reach its requests and are not logged. */
    private static HttpClient client(Vertx vertx, HttpClientOptions options, PoolOptions pool) {
        return vertx.httpClientBuilder()
                .with(options)
                .with(pool)
                .withConnectHandler(connection -> connection.exceptionHandler(told -> {}))
                .build();
    }

    private static HttpClientOptions options(GatewaySettings settings) {
        return new HttpClientOptions()
                .setConnectTimeout((int) settings.connectTimeout().toMillis())
                .setSslHandshakeTimeout(settings.connectTimeout().toMillis())
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                .setKeepAlive(true)
                .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
                .setPipelining(false)
                .setDecompressionSupported(false)
                .setMaxHeaderSize(LARGEST_ANSWER_HEAD)
                .setMaxChunkSize(CHUNK)
                .setTcpNoDelay(true)
                .setVerifyHost(true);
    }
}
