package io.sluice.node.gateway.proxy;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * Streams the body of an answer to the caller, at the caller's pace: the upstream is read only as fast as the caller reads. Data that has
 * arrived is sent immediately. Used only by its event loop. A Vert.x pipe is not used, because it would end the caller's answer normally
 * when the upstream's fails, and the answer would look complete.
 */
final class AnswerBody {

    private final Forwarding forwarding;
    private final HttpServerRequest request;
    private final HttpClientResponse from;
    private final HttpServerResponse to;
    private final long length;
    private final boolean bodiless;
    private final boolean mayHaveTrailers;
    private final Forwarder.@Nullable AnswerWatch watch;
    private long taken;

    /**
     * Creates the body of an answer.
     *
     * @param length the number of bytes, or {@link Framing#SILENT}
     * @param watch sees every piece before it is sent; null if there is no watch
     */
    AnswerBody(
            Forwarding forwarding,
            HttpServerRequest request,
            HttpClientResponse from,
            long length,
            Forwarder.@Nullable AnswerWatch watch) {
        this.forwarding = forwarding;
        this.request = request;
        this.from = from;
        this.to = request.response();
        this.length = length;
        this.watch = watch;
        this.mayHaveTrailers = length < 0 || from.version() == HttpVersion.HTTP_2;
        this.bodiless = AnswerHead.isBodiless(request.method(), from.statusCode());
    }

    /** Sends the prepared head and the body. */
    void send() {
        from.handler(this::take);
        from.endHandler(end -> ended());
        from.resume();
        if (!bodiless && length != 0 && !to.headWritten()) {
            // If body data came together with the head, both are sent together. The head waits for no other data.
            forwarding.later(this::flushHead);
        }
    }

    private void flushHead() {
        if (!forwarding.isFinished() && !to.headWritten() && !to.ended() && !to.closed()) {
            to.writeHead();
        }
    }

    private void take(Buffer piece) {
        if (forwarding.isFinished() || forwarding.isAnswered()) {
            return;
        }
        forwarding.moved();
        taken += piece.length();
        if (bodiless || (length >= 0 && taken > length)) {
            forwarding.broken(new IllegalStateException("the body is longer than its head says"));
            return;
        }
        if (watch != null) {
            watch.piece(piece);
        }
        if (taken == length && !mayHaveTrailers) {
            complete();
            to.end(piece);
            forwarding.settle();
        } else {
            to.write(piece);
            if (to.writeQueueFull()) {
                from.pause();
                to.drainHandler(drained -> {
                    forwarding.moved();
                    from.resume();
                });
            }
        }
    }

    private void complete() {
        if (watch != null) {
            watch.complete();
        }
        forwarding.answered();
    }

    private void ended() {
        forwarding.upstreamDone();
        if (forwarding.isFinished()) {
            return;
        }
        if (!forwarding.isAnswered()) {
            if (length > 0 && taken < length && !bodiless) {
                forwarding.broken(new IllegalStateException("the body is shorter than its head says"));
                return;
            }
            AnswerHead.trailers(from, to);
            complete();
            boolean untilClosed = request.version() == HttpVersion.HTTP_1_0 && length < 0;
            to.end().onComplete(written -> {
                if (untilClosed) {
                    request.connection().close();
                }
            });
        }
        forwarding.settle();
    }
}
