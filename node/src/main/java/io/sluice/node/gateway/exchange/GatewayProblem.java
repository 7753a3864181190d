package io.sluice.node.gateway.exchange;

import io.sluice.http.answer.Problem;
import io.vertx.core.http.HttpServerRequest;

/** Sends the gateway's own problem responses (RFC 9457). Used only by the thread of the request's event loop. */
public final class GatewayProblem {

    private GatewayProblem() {}

    /** Sends a problem, unless the request has been answered or the caller has disconnected. */
    public static void answer(GatewayExchange exchange, int status, String detail) {
        OwnAnswer.send(exchange, status, Problem.CONTENT_TYPE, body(status, detail));
    }

    /** Sends a problem for a request that did not become an exchange. */
    public static void answer(HttpServerRequest request, int status, String detail) {
        OwnAnswer.send(request, status, Problem.CONTENT_TYPE, body(status, detail));
    }

    static String body(int status, String detail) {
        return new Problem(status, detail).json();
    }
}
