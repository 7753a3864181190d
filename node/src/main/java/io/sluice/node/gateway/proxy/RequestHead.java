package io.sluice.node.gateway.proxy;

import io.sluice.http.request.ForwardingHeader;
import io.sluice.http.trace.TraceParent;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The head of a request that is forwarded. */
final class RequestHead {

    static final String REQUEST_ID = "x-request-id";

    private RequestHead() {}

    /**
     * Writes all but the method and target.
     *
     * @param length the length of the body, or one of the constants of {@link Framing}
     * @param upgrade whether the request asks for a WebSocket
     */
    static void write(GatewayExchange exchange, HttpClientRequest to, long length, boolean upgrade) {
        HttpServerRequest request = exchange.request();
        GatewayExchange.Parsed parsed = exchange.parsed();
        MultiMap from = request.headers();
        MultiMap headers = to.headers();
        boolean http2 = to.version() == HttpVersion.HTTP_2;
        if (http2) {
            to.authority(authority(parsed));
        } else {
            headers.set("host", parsed.authority());
        }
        copy(exchange, from, headers);
        if (request.version() == HttpVersion.HTTP_2 && from.contains("cookie")) {
            // HTTP/2 may split this header (RFC 9113, section 8.2.3).
            headers.set("cookie", String.join("; ", from.getAll("cookie")));
        }
        ForwardedHeaders.write(exchange, headers);
        headers.set(REQUEST_ID, parsed.id());
        if (exchange.trace().exists()) {
            headers.set(TraceParent.HEADER, exchange.trace().forwarded());
        }
        if (!exchange.forwardHeaders().isEmpty()) {
            set(exchange.forwardHeaders(), headers);
        }
        if (length >= 0) {
            headers.set("content-length", Long.toString(length));
        } else if (length == Framing.CHUNKED) {
            to.setChunked(true);
        }
        connection(from, headers, http2, upgrade);
    }

    private static void copy(GatewayExchange exchange, MultiMap from, MultiMap to) {
        Set<String> named = HopByHop.named(from);
        Set<String> withheld = exchange.withheld();
        List<ForwardingHeader> believed = exchange.parsed().believed();
        boolean continued = exchange.incoming().isContinued();
        boolean traced = exchange.trace().isContinued();
        from.forEach((header, value) -> {
            String name = header.toLowerCase(Locale.ROOT);
            if (!HopByHop.inRequest(name, named)
                    && !ForwardedHeaders.isOne(name, believed)
                    && !name.equals("host")
                    && !name.equals(REQUEST_ID)
                    && !name.equals(TraceParent.HEADER)
                    && (traced || !name.equals(TraceParent.STATE))
                    && !(continued && name.equals("expect"))
                    && !withheld.contains(name)) {
                to.add(name, value);
            }
        });
    }

    private static void set(MultiMap from, MultiMap to) {
        from.names().forEach(name -> {
            if (!HopByHop.inAnswer(name.toLowerCase(Locale.ROOT), Set.of()) && !name.equalsIgnoreCase("host")) {
                to.set(name, from.getAll(name));
            }
        });
    }

    /** Writes the only hop-by-hop headers that are forwarded: the upgrade to a WebSocket, and support for trailers. */
    private static void connection(MultiMap from, MultiMap to, boolean http2, boolean upgrade) {
        if (upgrade) {
            to.set("connection", "Upgrade");
            to.set("upgrade", "websocket");
        } else if (from.contains("te") && HopByHop.lists(from, "te", "trailers")) {
            to.set("te", "trailers");
            if (!http2) {
                to.set("connection", "TE");
            }
        }
    }

    private static HostAndPort authority(GatewayExchange.Parsed parsed) {
        HostAndPort authority = HostAndPort.parseAuthority(parsed.authority(), -1);
        return authority == null ? HostAndPort.create(parsed.host(), -1) : authority;
    }
}
