package io.sluice.node.gateway;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;

/** What the gateway answers by itself: problems of RFC 9457. For the thread of the request's event loop. */
final class GatewayProblem {

    private GatewayProblem() {}

    static void answer(GatewayExchange exchange, int status, String detail) {
        HttpServerResponse response = exchange.response();
        if (exchange.isOpen()) {
            exchange.answerHeaders().forEach((name, value) -> response.headers().set(name, value));
            response.putHeader("X-Request-Id", exchange.parsed().id());
            answer(exchange.request(), status, detail);
        }
    }

    static void answer(HttpServerRequest request, int status, String detail) {
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return;
        }
        boolean http2 = request.version() == HttpVersion.HTTP_2;
        boolean unread = !request.isEnded() && Framing.mayHaveBody(request);
        if (unread && !http2) {
            response.putHeader("Connection", "close");
        }
        response.setStatusCode(status).putHeader("Content-Type", "application/problem+json");
        response.end(Buffer.buffer("{\"type\":\"about:blank\",\"title\":\"" + response.getStatusMessage()
                + "\",\"status\":" + status + ",\"detail\":\"" + detail + "\"}"));
        if (unread) {
            Lingering.on(request);
        }
    }
}
