package io.sluice.node.gateway.proxy;

import io.sluice.node.gateway.exchange.GatewayExchange;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The head of an answer that is sent to the caller. */
final class AnswerHead {

    private AnswerHead() {}

    /** Returns the length of the body, {@link Framing#SILENT}, or {@link Framing#DOUBTFUL} if it is ambiguous. */
    static long length(HttpClientResponse from) {
        MultiMap headers = from.headers();
        if (!headers.contains("content-length") || headers.contains("transfer-encoding")) {
            return Framing.SILENT;
        }
        List<String> lengths = headers.getAll("content-length");
        return lengths.stream().distinct().count() == 1 ? Framing.length(lengths.get(0)) : Framing.DOUBTFUL;
    }

    /** Returns whether there can be no body, whatever the headers say. */
    static boolean isBodiless(HttpMethod method, int status) {
        return method.equals(HttpMethod.HEAD) || status == 204 || status == 304;
    }

    /**
     * Writes the status and all headers.
     *
     * @param length the result of {@link #length}
     */
    static void write(GatewayExchange exchange, HttpClientResponse from, long length) {
        HttpServerResponse to = exchange.response();
        to.setStatusCode(from.statusCode());
        MultiMap headers = to.headers();
        copy(exchange, from, headers);
        HttpVersion version = exchange.request().version();
        if (length >= 0) {
            if (from.statusCode() != 204) {
                headers.set("content-length", Long.toString(length));
            }
        } else if (version == HttpVersion.HTTP_1_1
                && !isBodiless(exchange.request().method(), from.statusCode())) {
            to.setChunked(true);
        }
    }

    /** Writes the headers of an answer that turns the connection into a WebSocket. */
    static void writeUpgrade(GatewayExchange exchange, HttpClientResponse from) {
        MultiMap headers = exchange.response().headers();
        copy(exchange, from, headers);
        headers.set("connection", "Upgrade");
        headers.set("upgrade", "websocket");
    }

    private static void copy(GatewayExchange exchange, HttpClientResponse from, MultiMap headers) {
        Set<String> named = HopByHop.named(from.headers());
        from.headers().forEach((header, value) -> {
            String name = header.toLowerCase(Locale.ROOT);
            if (!HopByHop.inAnswer(name, named)) {
                headers.add(name, value);
            }
        });
        headers.set(RequestHead.REQUEST_ID, exchange.parsed().id());
        if (!exchange.answerHeaders().isEmpty()) {
            exchange.answerHeaders()
                    .names()
                    .forEach(name -> headers.set(name, exchange.answerHeaders().getAll(name)));
        }
    }

    /** Returns the headers of an early hint, without those of the connection. */
    static MultiMap hints(MultiMap from) {
        MultiMap to = MultiMap.caseInsensitiveMultiMap();
        Set<String> named = HopByHop.named(from);
        from.forEach((header, value) -> {
            String name = header.toLowerCase(Locale.ROOT);
            if (!HopByHop.inAnswer(name, named)) {
                to.add(name, value);
            }
        });
        return to;
    }

    static void trailers(HttpClientResponse from, HttpServerResponse to) {
        MultiMap trailers = from.trailers();
        if (trailers.isEmpty()) {
            return;
        }
        Set<String> named = HopByHop.named(from.headers());
        trailers.forEach((header, value) -> {
            String name = header.toLowerCase(Locale.ROOT);
            if (!HopByHop.inTrailers(name, named)) {
                to.trailers().add(name, value);
            }
        });
    }
}
