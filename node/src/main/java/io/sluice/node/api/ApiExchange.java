package io.sluice.node.api;

import io.sluice.http.trace.RequestOrigin;
import io.sluice.http.trace.TraceParent;
import io.sluice.node.trace.RequestTrace;
import io.sluice.node.trace.Tracing;
import io.sluice.node.transport.Lingering;
import io.sluice.rules.pattern.Origin;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request, its answer, and the memory that both use until the answer has been sent. For the thread of the request's event loop.
 */
final class ApiExchange {

    /** The memory of a request without its body: its head and the server's state. */
    static final int OF_ITS_OWN = 4_096;

    /** RFC 9113, section 7. */
    private static final long ENHANCE_YOUR_CALM = 0xb;

    private final HttpServerRequest request;
    private final MemoryBudget memory;
    private final Consumer<HttpConnection> cut;
    private long held;
    private boolean full;
    private boolean over;
    private @Nullable Origin origin;
    private @Nullable Runnable whenOver;

    private ApiExchange(HttpServerRequest request, MemoryBudget memory, Consumer<HttpConnection> cut) {
        this.request = request;
        this.memory = memory;
        this.cut = cut;
    }

    /**
     * Creates an exchange for a request whose head has been read.
     *
     * @param cut ends a connection immediately, even if it holds unread data
     */
    static ApiExchange of(HttpServerRequest request, MemoryBudget memory, Consumer<HttpConnection> cut) {
        ApiExchange exchange = new ApiExchange(request, memory, cut);
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

    /** Returns the ids that other systems use for the request, from its headers. Without such headers this allocates nothing. */
    Origin origin() {
        return origin(Tracing.UNRECORDED);
    }

    /** Returns the same ids, and starts a span if the trace of the request is recorded. */
    Origin origin(Tracing tracing) {
        Origin known = origin;
        if (known == null) {
            known = read(tracing);
            origin = known;
        }
        return known;
    }

    private Origin read(Tracing tracing) {
        MultiMap headers = request.headers();
        if (!headers.contains(TraceParent.HEADER) && !headers.contains(RequestOrigin.REQUEST_ID)) {
            return Origin.UNKNOWN;
        }
        Origin sent = RequestOrigin.of(headers::getAll);
        if (!sent.sampled() || !tracing.records()) {
            return sent;
        }
        RequestTrace trace = tracing.asked(new TraceParent(sent.traceId(), sent.spanId(), true));
        long start = tracing.nanoTime();
        String path = String.valueOf(request.path());
        whenOver = () -> tracing.answered(
                trace, request.method().name(), path, response().getStatusCode(), tracing.nanoTime() - start);
        return trace.origin(sent.requestId());
    }

    /** Returns whether the request can still be answered. */
    boolean isOpen() {
        return !over && !full && isUnanswered();
    }

    /** Reserves more bytes. Returns false if there is no room; the exchange has then been refused. */
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
                    .end(ReplySender.prepared(
                            this, 503, "memory: full of other requests (expected: try again later)")));
            Lingering.on(request, Lingering.MOMENT, false);
        }
        return false;
    }

    /** Sends the prepared answer if there is room for it. */
    void send(Buffer body) {
        if (hold(body.length())) {
            overAfter(response().end(body));
        }
    }

    /** Sends the prepared answer without a body. */
    void send() {
        overAfter(response().end());
    }

    /** Ends a partly written answer, so that the caller notices that the rest is missing. */
    void cutOff() {
        if (isOpen() && isHttp2()) {
            response().reset();
        } else if (isOpen()) {
            cut.accept(request.connection());
        }
    }

    /** Answers before the whole request has been read. An HTTP/2 connection stays open, because other requests share it. */
    void refuse(int status, String detail) {
        if (!isHttp2()) {
            response().putHeader("Connection", "close");
        }
        ReplySender.problem(this, status, detail);
        Lingering.on(request, Lingering.MOMENT, false);
    }

    /** An HTTP/2 stream reports its own end. That may be later, because the caller may not have ended it yet. */
    private void overAfter(Future<Void> written) {
        if (!isHttp2()) {
            written.onComplete(done -> end());
        }
    }

    private void end() {
        if (!over) {
            over = true;
            memory.give(held);
            if (whenOver != null) {
                whenOver.run();
            }
        }
    }

    private boolean isUnanswered() {
        return !response().closed() && !response().ended();
    }

    private boolean isHttp2() {
        return request.version() == HttpVersion.HTTP_2;
    }
}
