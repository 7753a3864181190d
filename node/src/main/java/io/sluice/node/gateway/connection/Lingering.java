package io.sluice.node.gateway.connection;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/**
 * What becomes of a body that nobody wants after its answer: it is read and dropped for a moment, because to close at once could take
 * the answer with it. Then the connection is closed; with HTTP/2, which others share, the stream.
 */
public final class Lingering {

    private static final long MILLIS = 1_000;

    /** Of RFC 9113, section 7. */
    private static final long NO_ERROR = 0x0;

    private Lingering() {}

    /** After the answer of this request has ended. For the thread of its event loop. */
    public static void on(HttpServerRequest request) {
        if (request.isEnded()) {
            return;
        }
        if (request.version() == HttpVersion.HTTP_2) {
            request.response().reset(NO_ERROR);
            return;
        }
        request.handler(dropped -> {}).endHandler(end -> {}).exceptionHandler(gone -> {});
        request.resume();
        Vertx.currentContext().owner().setTimer(MILLIS, timer -> {
            if (!request.isEnded()) {
                request.connection().close();
            }
        });
    }
}
