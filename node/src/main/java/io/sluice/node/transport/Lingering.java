package io.sluice.node.transport;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;

/**
 * Reads and drops the rest of an answered request, because closing its connection immediately could destroy the answer. If the rest does
 * not arrive in time, the connection is closed; with HTTP/2, where other requests share the connection, the stream is reset.
 */
public final class Lingering {

    /** The time to wait for the rest. */
    public static final Duration MOMENT = Duration.ofSeconds(1);

    /** RFC 9113, section 7. */
    private static final long NO_ERROR = 0x0;

    private Lingering() {}

    /**
     * Starts after the answer of this request has ended. Used only by the thread of its event loop.
     *
     * @param keeps whether an HTTP/1.1 connection stays open if the rest arrives in time
     */
    public static void on(HttpServerRequest request, Duration atMost, boolean keeps) {
        boolean http2 = request.version() == HttpVersion.HTTP_2;
        if (!request.isEnded()) {
            request.handler(dropped -> {}).endHandler(end -> {}).exceptionHandler(gone -> {});
            request.resume();
        }
        Context context = Vertx.currentContext();
        if (context != null && !(request.isEnded() && (http2 || keeps))) {
            context.owner().setTimer(atMost.toMillis(), timer -> {
                if (http2 && !request.isEnded()) {
                    request.response().reset(NO_ERROR);
                } else if (!http2 && !(keeps && request.isEnded())) {
                    request.connection().close();
                }
            });
        }
    }
}
