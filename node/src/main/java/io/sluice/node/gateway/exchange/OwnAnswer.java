package io.sluice.node.gateway.exchange;

import io.sluice.node.transport.Lingering;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;

/**
 * Sends the gateway's own answers, at most one per request. For the thread of the request's event loop.
 *
 * <p>The request may not have been read completely. The rest of a small body is read and dropped, and the connection is kept. Otherwise
 * the connection is closed a moment later; with HTTP/2 only the stream ends.
 */
public final class OwnAnswer {

    static final String REQUEST_ID = "X-Request-Id";

    /**
     * The maximum size of the rest of a body that is read and dropped to keep a connection. The next constant is the maximum time for it.
     */
    private static final int WORTH_READING = 64 * 1024;

    private static final Duration WORTH_WAITING = Duration.ofSeconds(10);

    private static final int TOO_SLOW = 408;
    private static final int UNAVAILABLE = 503;

    private OwnAnswer() {}

    /** Sends an answer with the headers of the exchange. */
    public static void send(GatewayExchange exchange, int status, String type, String body) {
        if (!exchange.isOpen()) {
            return;
        }
        HttpServerResponse response = exchange.response();
        response.headers().setAll(exchange.answerHeaders());
        response.putHeader(REQUEST_ID, exchange.parsed().id());
        send(exchange.request(), status, type, body);
    }

    public static void send(HttpServerRequest request, int status, String type, String body) {
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed() || response.headWritten()) {
            return;
        }
        boolean stays = isHttp2(request) || (status != TOO_SLOW && isWorthReading(request));
        response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, type);
        if (status == UNAVAILABLE && !response.headers().contains(HttpHeaders.RETRY_AFTER)) {
            response.putHeader(HttpHeaders.RETRY_AFTER, "1");
        }
        if (!stays) {
            response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
        response.end(Buffer.buffer(body));
        Lingering.on(request, stays && !isHttp2(request) ? WORTH_WAITING : Lingering.MOMENT, stays);
    }

    /** A caller that sent {@code Expect: 100-continue} may or may not send the body after this answer, so the connection cannot be kept. */
    private static boolean isWorthReading(HttpServerRequest request) {
        if (request.isEnded()) {
            return true;
        }
        if (request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
                || request.headers().contains(HttpHeaders.EXPECT)) {
            return false;
        }
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        try {
            return length == null || Long.parseLong(length) <= WORTH_READING;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static boolean isHttp2(HttpServerRequest request) {
        return request.version() == HttpVersion.HTTP_2;
    }
}
