package io.sluice.node.gateway.exchange;

import io.sluice.http.answer.Problem;
import io.vertx.core.http.HttpServerRequest;

/** Answers of the gateway itself that say what went wrong, as RFC 9457 has them. For the thread of the request's event loop. */
public final class GatewayProblem {

    private GatewayProblem() {}

    /** Answers, unless that has happened or the caller has left. */
    public static void answer(GatewayExchange exchange, int status, String detail) {
        OwnAnswer.send(exchange, status, Problem.CONTENT_TYPE, body(status, detail));
    }

    /** The same for a request that has not got so far as to be an exchange. */
    public static void answer(HttpServerRequest request, int status, String detail) {
        OwnAnswer.send(request, status, Problem.CONTENT_TYPE, body(status, detail));
    }

    static String body(int status, String detail) {
        return new Problem(status, detail).json();
    }
}
