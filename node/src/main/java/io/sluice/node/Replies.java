package io.sluice.node;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends answers, at most one for each request. For the thread of the request's event loop. */
final class Replies {

    static final String JSON = "application/json";

    private static final Logger LOG = LoggerFactory.getLogger(Replies.class);
    private static final String PROBLEM = "application/problem+json";

    private Replies() {}

    static void json(HttpServerRequest request, int status, String body) {
        send(request, status, JSON, body.getBytes(StandardCharsets.UTF_8));
    }

    /** A problem of RFC 9457. */
    static void problem(HttpServerRequest request, int status, String detail) {
        send(request, status, PROBLEM, Answers.problem(status, detail).getBytes(StandardCharsets.UTF_8));
    }

    static void badRequest(HttpServerRequest request, IllegalArgumentException refused) {
        problem(request, 400, String.valueOf(refused.getMessage()));
    }

    static void nothing(HttpServerRequest request) {
        if (isOpen(request.response())) {
            request.response().setStatusCode(204).end();
        }
    }

    /** The node's own fault; the caller hears nothing of why. */
    static void failed(HttpServerRequest request, @Nullable Throwable failure) {
        LOG.error("a request failed", failure);
        problem(request, 500, "the node failed to answer; its log says why");
    }

    static void send(HttpServerRequest request, int status, String type, byte[] body) {
        HttpServerResponse response = request.response();
        if (isOpen(response)) {
            response.setStatusCode(status).putHeader("Content-Type", type).end(Buffer.buffer(body));
        }
    }

    private static boolean isOpen(HttpServerResponse response) {
        return !response.closed() && !response.ended();
    }
}
