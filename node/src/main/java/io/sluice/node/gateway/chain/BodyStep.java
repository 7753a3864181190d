package io.sluice.node.gateway.chain;

import io.sluice.http.field.BodyFields;
import io.sluice.http.request.RefusedRequestException;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.exchange.GatewayProblem;
import io.sluice.node.gateway.proxy.HopByHop;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Reads the first part of a body if rules name its fields, and keeps it for forwarding. Thread-safe; each request stays on its own event
 * loop.
 *
 * <p>At most {@link BodyFields#LARGEST_BODY} bytes of a body are read, for at most ten seconds. If a required field could not be read
 * because the body is larger, compressed or malformed, the request is refused; otherwise the body is forwarded unchanged and has no
 * fields. The memory for all bodies together is limited to 64 MB; beyond that, requests are refused with 503.
 */
final class BodyStep {

    private static final long MAY_TAKE_MILLIS = 10_000;
    private static final long MOST_KEPT = 64L * 1024 * 1024;

    private final Vertx vertx;
    private final long mayTakeMillis;
    private final long mostKept;
    private final AtomicLong kept = new AtomicLong();

    BodyStep(Vertx vertx) {
        this(vertx, MAY_TAKE_MILLIS, MOST_KEPT);
    }

    BodyStep(Vertx vertx, long mayTakeMillis, long mostKept) {
        this.vertx = vertx;
        this.mayTakeMillis = mayTakeMillis;
        this.mostKept = mostKept;
    }

    /** Continues with the values of these fields, unless the request is refused or the caller disconnects. */
    void read(GatewayExchange exchange, BodyFields fields, Consumer<Map<String, String>> then)
            throws RefusedRequestException {
        HttpServerRequest request = exchange.request();
        if (request.headers().getAll(HttpHeaders.CONTENT_TYPE).size() > 1) {
            throw RefusedRequestException.bad("content-type: occurs several times (expected: once)");
        }
        Set<String> dropped = HopByHop.named(request.headers());
        if (dropped.contains("content-type") || dropped.contains("content-encoding")) {
            throw RefusedRequestException.bad(
                    "connection: names content-type or content-encoding (expected: only headers of the connection)");
        }
        if (hasNone(request)) {
            heard(exchange, fields, new byte[0], then);
            return;
        }
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        List<String> encoding = request.headers().getAll(HttpHeaders.CONTENT_ENCODING);
        BodyFields.Unread unread = fields.unread(request.getHeader(HttpHeaders.CONTENT_TYPE), encoding, length);
        if (unread != null) {
            throw new RefusedRequestException(unread.status(), unread.message());
        }
        if (BodyFields.isTooLong(length) || BodyFields.isCompressed(encoding)) {
            then.accept(Map.of());
        } else {
            new Reading(exchange, fields, then).start();
        }
    }

    private static void heard(
            GatewayExchange exchange, BodyFields fields, byte[] body, Consumer<Map<String, String>> then) {
        String type = exchange.request().getHeader(HttpHeaders.CONTENT_TYPE);
        String query = exchange.parsed().target().query();
        BodyFields.Body said = fields.read(type, query.isEmpty() ? null : query, body);
        if (said instanceof BodyFields.Found found) {
            then.accept(found.attributes());
        } else if (said instanceof BodyFields.Ambiguous ambiguous) {
            GatewayProblem.answer(exchange, 400, ambiguous.message());
        } else if (said instanceof BodyFields.Unread unread) {
            GatewayProblem.answer(exchange, unread.status(), unread.message());
        }
    }

    /** A request without a body is left untouched, because it may become a WebSocket. */
    private static boolean hasNone(HttpServerRequest request) {
        return request.version() != HttpVersion.HTTP_2
                && !request.headers().contains(HttpHeaders.CONTENT_LENGTH)
                && !request.headers().contains(HttpHeaders.TRANSFER_ENCODING);
    }

    private final class Reading {

        private final GatewayExchange exchange;
        private final BodyFields fields;
        private final Consumer<Map<String, String>> then;
        private final Buffer body = Buffer.buffer();
        private long timer;
        private boolean over;

        Reading(GatewayExchange exchange, BodyFields fields, Consumer<Map<String, String>> then) {
            this.exchange = exchange;
            this.fields = fields;
            this.then = then;
        }

        void start() {
            HttpServerRequest request = exchange.request();
            timer = vertx.setTimer(mayTakeMillis, fired -> {
                if (!over) {
                    over = true;
                    GatewayProblem.answer(
                            exchange,
                            408,
                            "body: too slow (expected: its fields within " + mayTakeMillis / 1_000 + " s)");
                }
            });
            exchange.whenOver(() -> {
                finish();
                kept.addAndGet(-body.length());
            });
            request.handler(this::more);
            request.endHandler(end -> {
                if (!over) {
                    exchange.incoming().readWhole();
                    done();
                }
            });
            request.exceptionHandler(broken -> finish());
            if (request.headers().contains(HttpHeaders.EXPECT, HttpHeaders.CONTINUE, true)) {
                exchange.incoming().continued();
                request.response().writeContinue();
            }
            request.resume();
        }

        private void more(Buffer piece) {
            if (over) {
                return;
            }
            if (kept.addAndGet(piece.length()) > mostKept) {
                kept.addAndGet(-piece.length());
                finish();
                GatewayProblem.answer(exchange, 503, "memory: full of other requests (expected: try again later)");
                return;
            }
            body.appendBuffer(piece);
            exchange.incoming().keep(piece);
            if (body.length() > BodyFields.LARGEST_BODY) {
                exchange.request().pause();
                done();
            }
        }

        /** Leaves the handlers in place until other handlers replace them, because a stream without handlers loses data. */
        private void done() {
            finish();
            if (exchange.isOpen()) {
                heard(exchange, fields, body.getBytes(), then);
            }
        }

        private void finish() {
            over = true;
            vertx.cancelTimer(timer);
        }
    }
}
