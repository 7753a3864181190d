package io.sluice.node.gateway;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.vertx.core.http.HttpServerRequest;

/** Answers of the gateway itself that say what went wrong, as RFC 9457 has them. For the thread of the request's event loop. */
final class GatewayProblem {

    private static final String TYPE = "application/problem+json";

    private GatewayProblem() {}

    /** Answers, unless that has happened or the caller has left. */
    static void answer(GatewayExchange exchange, int status, String detail) {
        OwnAnswer.send(exchange, status, TYPE, body(status, detail));
    }

    /** The same for a request that has not got so far as to be an exchange. */
    static void answer(HttpServerRequest request, int status, String detail) {
        OwnAnswer.send(request, status, TYPE, body(status, detail));
    }

    static String body(int status, String detail) {
        return "{\"type\":\"about:blank\",\"title\":\"" + title(status) + "\",\"status\":" + status + ",\"detail\":\""
                + new String(JsonStringEncoder.getInstance().quoteAsString(detail)) + "\"}";
    }

    private static String title(int status) {
        return switch (status) {
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 408 -> "Request Timeout";
            case 413 -> "Content Too Large";
            case 414 -> "URI Too Long";
            case 417 -> "Expectation Failed";
            case 421 -> "Misdirected Request";
            case 429 -> "Too Many Requests";
            case 431 -> "Request Header Fields Too Large";
            case 501 -> "Not Implemented";
            case 502 -> "Bad Gateway";
            case 503 -> "Service Unavailable";
            case 504 -> "Gateway Timeout";
            case 505 -> "HTTP Version Not Supported";
            default -> "Internal Server Error";
        };
    }
}
