package io.sluice.node.api;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Reads whole bodies of up to {@value #LARGEST} bytes for up to ten seconds. A larger or slower body is refused and its connection cut.
 * Each event loop has its own reader and is the only thread to use it. Vert.x's own {@code body()} has no bound on size or time.
 */
public final class BodyReader {

    static final int LARGEST = 64 * 1024;

    private static final Duration MAY_TAKE = Duration.ofSeconds(10);

    private final Duration mayTake;

    /** The exchanges being read, oldest first, with the tick of each start. */
    private final Map<ApiExchange, Long> reading = new LinkedHashMap<>();

    private long ticks;

    public BodyReader() {
        this(MAY_TAKE);
    }

    public BodyReader(Duration mayTake) {
        this.mayTake = mayTake;
    }

    /** Passes the body on, unless it is refused. */
    void read(ApiExchange exchange, BiConsumer<ApiExchange, byte[]> action) {
        HttpServerRequest request = exchange.request();
        Buffer body = Buffer.buffer();
        reading.put(exchange, ticks);
        request.handler(chunk -> {
            if (!exchange.isOpen()) {
                return;
            }
            if (body.length() + chunk.length() > LARGEST) {
                reading.remove(exchange);
                exchange.refuse(413, "body: too large (expected: at most " + LARGEST + " bytes)");
            } else if (exchange.hold(chunk.length())) {
                body.appendBuffer(chunk);
            } else {
                reading.remove(exchange);
            }
        });
        request.exceptionHandler(broken -> reading.remove(exchange));
        request.endHandler(end -> {
            reading.remove(exchange);
            if (exchange.isOpen()) {
                try {
                    action.accept(exchange, body.getBytes());
                } catch (RuntimeException e) {
                    ReplySender.failed(exchange, e);
                }
            }
        });
    }

    /** Called every second. */
    void tick() {
        ticks++;
        Iterator<Map.Entry<ApiExchange, Long>> oldest = reading.entrySet().iterator();
        while (oldest.hasNext()) {
            Map.Entry<ApiExchange, Long> next = oldest.next();
            if (ticks - next.getValue() <= mayTake.toSeconds()) {
                return;
            }
            oldest.remove();
            if (next.getKey().isOpen()) {
                next.getKey().refuse(408, "body: too slow (expected: complete within  " + mayTake.toSeconds() + " s)");
            }
        }
    }
}
