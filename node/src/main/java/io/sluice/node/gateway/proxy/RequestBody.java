package io.sluice.node.gateway.proxy;

import io.sluice.node.gateway.exchange.GatewayExchange;
import io.sluice.node.gateway.exchange.IncomingBody;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;

/**
 * Streams the body of a request to the upstream, at the upstream's pace: the caller is read only as fast as the upstream reads. Trailers
 * are dropped. Used only by its event loop.
 */
final class RequestBody {

    private final Forwarding forwarding;
    private final IncomingBody incoming;
    private final HttpServerRequest from;
    private final long length;
    private final long largest;
    private long taken;
    private boolean streamed;
    private boolean waits;
    private boolean sent;

    /** @param length the number of bytes, or one of the constants of {@link Framing} */
    RequestBody(Forwarding forwarding, GatewayExchange exchange, long length) {
        this.forwarding = forwarding;
        this.incoming = exchange.incoming();
        this.from = incoming.request();
        this.length = length;
        this.largest = exchange.route().largestBody();
    }

    /** Returns whether the whole body has been passed to the upstream. */
    boolean isSent() {
        return sent;
    }

    /** Returns whether the body can be sent again, because no part of it is lost. */
    boolean isRepeatable() {
        return !streamed || incoming.isReadWhole();
    }

    /** Returns whether the caller has to send more. */
    boolean waitsForCaller() {
        return streamed && !sent && !waits;
    }

    /** Sends the head with the available part of the body, and the rest as it arrives. */
    void sendTo(HttpClientRequest to) {
        if (length == 0 || (length == Framing.SILENT && hasNone())) {
            sent = true;
            to.end();
        } else if (incoming.isReadWhole()) {
            sent = true;
            to.end(kept());
        } else {
            stream(to);
        }
    }

    private boolean hasNone() {
        return from.version() != HttpVersion.HTTP_2
                || (incoming.isReadWhole() && incoming.kept().isEmpty());
    }

    private void stream(HttpClientRequest to) {
        streamed = true;
        from.handler(piece -> take(to, piece));
        from.endHandler(end -> ended(to));
        from.exceptionHandler(gone -> {});
        for (Buffer piece : incoming.kept()) {
            take(to, piece);
        }
        if (!waits && !forwarding.isFinished() && !sent) {
            from.resume();
        }
        if (length == Framing.SILENT) {
            // If the end came with the head, it is reported right after the head, and there is no body.
            forwarding.later(() -> sendHead(to));
        } else {
            sendHead(to);
        }
    }

    /** Sends the head without waiting for the body, because the caller may wait for an answer to the head. */
    private void sendHead(HttpClientRequest to) {
        if (taken == 0 && !sent && !forwarding.isFinished()) {
            to.writeHead();
        }
    }

    private void take(HttpClientRequest to, Buffer piece) {
        if (forwarding.isFinished() || sent || piece.length() == 0) {
            return;
        }
        forwarding.moved();
        taken += piece.length();
        if (taken > largest) {
            forwarding.refuse(413, "body: too large (expected: at most " + largest + " bytes)");
        } else if (length >= 0 && taken > length) {
            forwarding.refuse(400, "body: longer than its head says");
        } else if (taken == length && !isFramed(to)) {
            sent = true;
            to.end(piece);
            from.resume();
        } else {
            to.write(piece);
            if (to.writeQueueFull()) {
                waits = true;
                from.pause();
                to.drainHandler(drained -> {
                    waits = false;
                    forwarding.moved();
                    from.resume();
                });
            }
        }
    }

    private void ended(HttpClientRequest to) {
        if (forwarding.isFinished() || sent) {
            return;
        }
        if (taken < length) {
            forwarding.refuse(400, "body: shorter than its head says");
            return;
        }
        if (taken == 0) {
            incoming.readWhole(); // the body can be sent again
        }
        sent = true;
        to.end();
    }

    /** From HTTP/2 to HTTP/2 the end is separate from the length, so a body that exceeds its length is not completed early. */
    private boolean isFramed(HttpClientRequest to) {
        return from.version() == HttpVersion.HTTP_2 && to.version() == HttpVersion.HTTP_2;
    }

    private Buffer kept() {
        if (incoming.kept().size() == 1) {
            return incoming.kept().get(0);
        }
        Buffer all = Buffer.buffer();
        incoming.kept().forEach(all::appendBuffer);
        return all;
    }
}
