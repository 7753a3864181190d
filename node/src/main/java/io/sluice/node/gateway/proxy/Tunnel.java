package io.sluice.node.gateway.proxy;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.NetSocket;

/**
 * A WebSocket tunnel: passes bytes both ways, each side at the pace of the other, until one side closes or both are silent for too long.
 * Used only by its event loop. A Vert.x pipe does not report when data passes, so silence could not be detected.
 */
final class Tunnel extends Deadlines.Timed {

    private final Deadlines deadlines;
    private final long idleTicks;
    private final NetSocket here;
    private final NetSocket there;
    private final Runnable whenClosed;
    private long active;
    private boolean closed;

    Tunnel(Deadlines deadlines, long idleTicks, NetSocket here, NetSocket there, Runnable whenClosed) {
        this.deadlines = deadlines;
        this.idleTicks = idleTicks;
        this.here = here;
        this.there = there;
        this.whenClosed = whenClosed;
        this.active = deadlines.now();
    }

    /**
     * Returns whether the caller asks for a WebSocket. Only this upgrade is requested from the upstream, whatever other upgrades the
     * caller offers.
     */
    static boolean isAskedFor(HttpServerRequest request, long framing) {
        return request.version() == HttpVersion.HTTP_1_1
                && request.method().equals(HttpMethod.GET)
                && (framing == 0 || framing == Framing.SILENT)
                && request.headers().contains("upgrade")
                && HopByHop.lists(request.headers(), "upgrade", "websocket")
                && HopByHop.lists(request.headers(), "connection", "upgrade");
    }

    static boolean isGranted(HttpClientResponse answer) {
        return HopByHop.lists(answer.headers(), "upgrade", "websocket")
                && HopByHop.lists(answer.headers(), "connection", "upgrade");
    }

    void open() {
        deadlines.add(this);
        join(here, there);
        join(there, here);
        here.shutdownHandler(draining -> {}); // a shutdown also waits for tunnels
        here.resume();
        there.resume();
    }

    @Override
    public void tick(long now) {
        if (now - active > idleTicks) {
            close();
        }
    }

    private void join(NetSocket from, NetSocket to) {
        from.handler(piece -> pass(from, to, piece));
        from.exceptionHandler(broken -> close());
        from.endHandler(end -> close());
        from.closeHandler(gone -> close());
    }

    private void pass(NetSocket from, NetSocket to, Buffer piece) {
        if (closed) {
            return;
        }
        active = deadlines.now();
        to.write(piece);
        if (to.writeQueueFull()) {
            from.pause();
            to.drainHandler(drained -> {
                active = deadlines.now();
                from.resume();
            });
        }
    }

    /** Ends the tunnel after all written bytes have been sent. */
    private void close() {
        if (!closed) {
            closed = true;
            deadlines.remove(this);
            here.shutdownHandler(null); // a handler would have to end the connection itself
            here.end();
            there.end();
            whenClosed.run();
        }
    }
}
