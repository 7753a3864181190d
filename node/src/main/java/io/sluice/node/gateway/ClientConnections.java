package io.sluice.node.gateway;

import io.sluice.node.internal.Arrivals;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Closes connections on which no request is under way for too long, also if bytes of one trickle in, and HTTP/2 connections whose caller
 * leaves many answers unread. What is under way has deadlines of its own. One for each event loop, for its thread alone.
 */
final class ClientConnections {

    /** So many answers that have ended may wait to be read, and for so many ticks. */
    private static final int MOST_UNREAD = 16;

    private final Arrivals arrivals;
    private final long idleTicks;
    private final long unreadTicks;
    private final Map<HttpConnection, Watched> connections = new HashMap<>();

    /** The newest of each address: a connection that changes to HTTP/2 becomes another one, and nobody says so. */
    private final Map<SocketAddress, HttpConnection> newest = new HashMap<>();

    private long now;

    /** @param idleTicks without a request, in ticks of the caller */
    ClientConnections(Arrivals arrivals, long idleTicks, long unreadTicks) {
        this.arrivals = arrivals;
        this.idleTicks = idleTicks;
        this.unreadTicks = unreadTicks;
    }

    private static final class Watched {

        private final List<HttpServerRequest> open = new ArrayList<>(1);
        private int sweepAt = 1;
        private long idleSince;
        private long unreadSince;

        Watched(long now) {
            this.idleSince = now;
            this.unreadSince = now;
        }

        /** Forgets what is over; seldom enough to cost nothing, often enough to keep nothing. */
        void sweep() {
            open.removeIf(Watched::isOver);
            sweepAt = Math.max(1, 2 * open.size());
        }

        private static boolean isOver(HttpServerRequest request) {
            HttpServerResponse response = request.response();
            return response.closed() || (response.ended() && request.version() != HttpVersion.HTTP_2);
        }

        private boolean hoards() {
            int unread = 0;
            for (HttpServerRequest request : open) {
                unread += request.response().ended() ? 1 : 0;
            }
            return unread > MOST_UNREAD;
        }
    }

    void opened(HttpConnection connection) {
        arrivals.spoke(connection.remoteAddress());
        HttpConnection before = newest.put(connection.remoteAddress(), connection);
        if (before != null) {
            connections.remove(before);
        }
        connections.put(connection, new Watched(now));
        connection.closeHandler(closed -> forget(connection));
        connection.exceptionHandler(told -> {}); // the requests on it hear of it; callers must not fill the log
    }

    void forget(HttpConnection connection) {
        connections.remove(connection);
        newest.remove(connection.remoteAddress(), connection);
    }

    void asked(HttpServerRequest request) {
        Watched watched = connections.get(request.connection());
        if (watched != null) {
            if (watched.open.size() >= watched.sweepAt) {
                watched.sweep();
            }
            watched.open.add(request);
        }
    }

    void tick() {
        now++;
        for (Map.Entry<HttpConnection, Watched> each : List.copyOf(connections.entrySet())) {
            Watched watched = each.getValue();
            watched.sweep();
            if (!watched.open.isEmpty()) {
                watched.idleSince = now;
            }
            if (!watched.hoards()) {
                watched.unreadSince = now;
            }
            if (now - watched.idleSince > idleTicks || now - watched.unreadSince > unreadTicks) {
                each.getKey().close();
            }
        }
    }
}
