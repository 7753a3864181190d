package io.sluice.node;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Reads whole bodies, up to {@value #LARGEST} bytes and for up to ten seconds: what is larger or slower is refused and cut off. One for
 * each event loop, for its thread alone.
 */
final class BodyReader {

    static final int LARGEST = 64 * 1024;

    private static final Duration MAY_TAKE = Duration.ofSeconds(10);

    /** What is still under way is read and dropped for so long: to close at once could take the answer with it. */
    private static final long LINGER_MILLIS = 1_000;

    private final Vertx vertx;
    private final Duration mayTake;

    /** Being read, the oldest first, with the tick at which it began. */
    private final Map<HttpServerRequest, Long> reading = new LinkedHashMap<>();

    private long ticks;

    BodyReader(Vertx vertx) {
        this(vertx, MAY_TAKE);
    }

    BodyReader(Vertx vertx, Duration mayTake) {
        this.vertx = vertx;
        this.mayTake = mayTake;
    }

    /** Hands on the body, unless it is refused. */
    void read(HttpServerRequest request, BiConsumer<HttpServerRequest, byte[]> action) {
        Buffer body = Buffer.buffer();
        reading.put(request, ticks);
        request.handler(chunk -> {
            if (request.response().ended()) {
                return;
            }
            if (body.length() + chunk.length() > LARGEST) {
                refuse(request, 413, "body: too large (expected: at most " + LARGEST + " bytes)");
            } else {
                body.appendBuffer(chunk);
            }
        });
        request.exceptionHandler(broken -> reading.remove(request));
        request.endHandler(end -> {
            reading.remove(request);
            if (!request.response().ended()) {
                try {
                    action.accept(request, body.getBytes());
                } catch (RuntimeException e) {
                    Replies.failed(request, e);
                }
            }
        });
    }

    /** A second has passed. */
    void tick() {
        ticks++;
        Iterator<Map.Entry<HttpServerRequest, Long>> oldest = reading.entrySet().iterator();
        while (oldest.hasNext()) {
            Map.Entry<HttpServerRequest, Long> next = oldest.next();
            if (ticks - next.getValue() <= mayTake.toSeconds()) {
                return;
            }
            oldest.remove();
            if (!next.getKey().response().ended()) {
                refuse(next.getKey(), 408, "body: too slow (expected: whole within " + mayTake.toSeconds() + " s)");
            }
        }
    }

    /** Other requests share an HTTP/2 connection, so that one stays. */
    private void refuse(HttpServerRequest request, int status, String detail) {
        boolean ownConnection = request.version() != HttpVersion.HTTP_2;
        if (ownConnection) {
            request.response().putHeader("Connection", "close");
        }
        Replies.problem(request, status, detail);
        if (ownConnection) {
            vertx.setTimer(LINGER_MILLIS, timer -> request.connection().close());
        }
    }
}
