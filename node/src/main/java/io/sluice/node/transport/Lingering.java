package io.sluice.node.transport;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;

/**
 * Reads and drops the rest of a request that has been answered, because closing its connection at once could take the answer with it.
 * If the rest does not come in time, the connection is closed; with HTTP/2, where other requests share it, the stream is reset.
 */
public final class Lingering {

    /** For a rest that nobody wants. */
    public static final Duration MOMENT = Duration.ofSeconds(1);

    /** Of RFC 9113, section 7. */
    private static final long NO_ERROR = 0x0;

    private Lingering() {}

    /**
     * After the answer of this request has ended. For the thread of its event loop.
     *
     * @param keeps whether a connection of HTTP/1.1 stays if the rest comes in time
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
