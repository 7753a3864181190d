package io.sluice.node;

import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Cuts off connections that bytes trickle through without ever making a request, and those whose answers are not read. A timeout on
 * silence does neither: a byte now and then is enough to satisfy it. One for each event loop, for its thread alone.
 */
final class ConnectionWatch {

    /** From one request's head to the next; longer than any decision takes. */
    private static final int NEXT_SECONDS = 120;

    /** For so long answers may lie unread, and so many of them. */
    private static final int UNREAD_SECONDS = 10;

    private static final int MOST_UNREAD = 10_000;

    private final Map<SocketAddress, Watched> connections = new HashMap<>();
    private final Arrivals arrivals;
    private final int unreadSeconds;
    private long ticks;

    ConnectionWatch(Arrivals arrivals) {
        this(arrivals, UNREAD_SECONDS);
    }

    ConnectionWatch(Arrivals arrivals, int unreadSeconds) {
        this.arrivals = arrivals;
        this.unreadSeconds = unreadSeconds;
    }

    private static final class Watched {

        /** The newest of an address: a connection that changes to HTTP/2 becomes another one. */
        private HttpConnection connection;

        private long since;
        private long unreadSince = -1;
        private int unread;

        Watched(HttpConnection connection, long since) {
            this.connection = connection;
            this.since = since;
        }
    }

    void opened(HttpConnection connection) {
        SocketAddress address = connection.remoteAddress();
        arrivals.spoke(address);
        Watched known = connections.get(address);
        if (known == null) {
            connections.put(address, new Watched(connection, ticks));
        } else {
            known.connection = connection;
        }
        connection.closeHandler(closed -> {
            Watched now = connections.get(address);
            if (now != null && now.connection == connection) {
                connections.remove(address);
            }
        });
    }

    /** A request's head has been read. */
    void asked(HttpServerRequest request) {
        Watched watched = connections.get(request.connection().remoteAddress());
        if (watched == null) {
            return;
        }
        watched.since = ticks;
        if (!request.response().writeQueueFull()) {
            watched.unreadSince = -1;
            watched.unread = 0;
        } else if (watched.unreadSince < 0) {
            watched.unreadSince = ticks;
        } else if (++watched.unread > MOST_UNREAD) {
            watched.connection.close();
        }
    }

    /** A second has passed. */
    void tick() {
        ticks++;
        for (Watched watched : List.copyOf(connections.values())) {
            boolean silent = ticks - watched.since > NEXT_SECONDS;
            boolean deaf = watched.unreadSince >= 0 && ticks - watched.unreadSince > unreadSeconds;
            if (silent || deaf) {
                watched.connection.close();
            }
        }
    }
}
