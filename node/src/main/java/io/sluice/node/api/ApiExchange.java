package io.sluice.node.api;

import io.sluice.node.transport.Lingering;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;

/**
 * A request, its answer, and what both take of the node's memory until the answer has left it. For the thread of the request's event
 * loop.
 */
final class ApiExchange {

    /** What a request takes by itself: its head, and what the server remembers of it. */
    static final int OF_ITS_OWN = 4_096;

    /** Of RFC 9113, section 7. */
    private static final long ENHANCE_YOUR_CALM = 0xb;

    private final HttpServerRequest request;
    private final MemoryBudget memory;
    private long held;
    private boolean full;
    private boolean over;

    private ApiExchange(HttpServerRequest request, MemoryBudget memory) {
        this.request = request;
        this.memory = memory;
    }

    /** Begins with a request whose head was read. */
    static ApiExchange of(HttpServerRequest request, MemoryBudget memory) {
        ApiExchange exchange = new ApiExchange(request, memory);
        request.response().closeHandler(closed -> exchange.end());
        exchange.hold(OF_ITS_OWN);
        return exchange;
    }

    HttpServerRequest request() {
        return request;
    }

    HttpServerResponse response() {
        return request.response();
    }

    /** Whether it can still be answered. */
    boolean isOpen() {
        return !over && !full && isUnanswered();
    }

    /** Keeps so many bytes more; false if there is no room for them, then the exchange has been refused. */
    boolean hold(long bytes) {
        if (over || full) {
            return false;
        }
        if (memory.take(bytes)) {
            held += bytes;
            return true;
        }
        full = true;
        if (isHttp2()) {
            response().reset(ENHANCE_YOUR_CALM);
        } else if (isUnanswered()) {
            response().putHeader("Connection", "close").putHeader("Retry-After", "1");
            overAfter(response()
                    .end(ReplySender.prepared(this, 503, "memory: full of other requests (expected: try again)")));
            Lingering.on(request, Lingering.MOMENT, false);
        }
        return false;
    }

    /** Sends the prepared answer, if there is room for it. */
    void send(Buffer body) {
        if (hold(body.length())) {
            overAfter(response().end(body));
        }
    }

    /** Sends the prepared answer, which has no body. */
    void send() {
        overAfter(response().end());
    }

    /** Answers without having read everything. Other requests share an HTTP/2 connection, so that one stays. */
    void refuse(int status, String detail) {
        if (!isHttp2()) {
            response().putHeader("Connection", "close");
        }
        ReplySender.problem(this, status, detail);
        Lingering.on(request, Lingering.MOMENT, false);
    }

    /** An HTTP/2 stream tells its end by itself, which may be later: its caller may not have ended it. */
    private void overAfter(Future<Void> written) {
        if (!isHttp2()) {
            written.onComplete(done -> end());
        }
    }

    private void end() {
        if (!over) {
            over = true;
            memory.give(held);
        }
    }

    private boolean isUnanswered() {
        return !response().closed() && !response().ended();
    }

    private boolean isHttp2() {
        return request.version() == HttpVersion.HTTP_2;
    }
}
