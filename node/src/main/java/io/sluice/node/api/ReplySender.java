package io.sluice.node.api;

import io.sluice.rules.pattern.Origin;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends answers, at most one per request. Used only by the thread of the request's event loop. */
public final class ReplySender {

    static final String JSON = "application/json";

    private static final Logger LOG = LoggerFactory.getLogger(ReplySender.class);
    private static final String FAILED = "the node failed to answer; see its log";
    private static final String PROBLEM = "application/problem+json";

    private ReplySender() {}

    static void json(ApiExchange exchange, int status, String body) {
        json(exchange, status, body.getBytes(StandardCharsets.UTF_8));
    }

    static void json(ApiExchange exchange, int status, byte[] body) {
        send(exchange, status, JSON, body);
    }

    /** Sends a problem as RFC 9457 defines it. */
    static void problem(ApiExchange exchange, int status, String detail) {
        if (exchange.isOpen()) {
            exchange.send(prepared(exchange, status, detail));
        }
    }

    /** Sends a problem with additional members. */
    static void problem(ApiExchange exchange, int status, byte[] body) {
        send(exchange, status, PROBLEM, body);
    }

    /** Sets the head of a problem response and returns its body. */
    static Buffer prepared(ApiExchange exchange, int status, String detail) {
        exchange.response().setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, PROBLEM);
        return Buffer.buffer(ReplyJson.problem(status, detail));
    }

    static void badRequest(ApiExchange exchange, IllegalArgumentException refused) {
        problem(exchange, 400, String.valueOf(refused.getMessage()));
    }

    static void nothing(ApiExchange exchange) {
        if (exchange.isOpen()) {
            exchange.response().setStatusCode(204);
            exchange.send();
        }
    }

    /** Answers after an internal failure. The reason is logged and not sent to the caller. */
    static void failed(ApiExchange exchange, @Nullable Throwable failure) {
        LOG.error("could not answer a request; the caller received status 500{}", named(exchange.origin()), failure);
        problem(exchange, 500, FAILED);
    }

    /** Does the same for one check of a batch, and returns its part of the answer. */
    static String failedInBatch(Origin origin, @Nullable Throwable failure) {
        LOG.error("could not answer a check of a batch; its result has status 500{}", named(origin), failure);
        return ReplyJson.problem(500, FAILED);
    }

    /** Returns the ids that other systems use for the request. Nothing in the text needs to be escaped. */
    private static String named(Origin origin) {
        String request = origin.requestId().isEmpty() ? "" : ", request " + origin.requestId();
        return origin.traceId().isEmpty() ? request : request + ", trace " + origin.traceId();
    }

    static void send(ApiExchange exchange, int status, String type, byte[] body) {
        if (exchange.isOpen()) {
            exchange.response().setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, type);
            exchange.send(Buffer.buffer(body));
        }
    }
}
