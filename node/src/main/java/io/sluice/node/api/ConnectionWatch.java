package io.sluice.node.api;

import io.sluice.node.transport.Arrivals;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Cuts off connections that bytes trickle through without ever making a request, and those whose answers are not read. A timeout on
 * silence does neither: a byte now and then is enough to satisfy it. One for each event loop, for its thread alone.
 *
 * <p>With HTTP/2 callers decide for each stream how much of it they read, so streams are counted that stay open.
 */
public final class ConnectionWatch {

    /** From one request's head to the next; longer than any decision takes. */
    private static final int NEXT_SECONDS = 120;

    /** For so long answers may lie unread, and so many of them. */
    private static final int UNREAD_SECONDS = 10;

    private static final int MOST_UNREAD = 10_000;

    /** For so long streams may stay open, but for so many of them; longer than a body and a decision take together. */
    private static final int STREAM_SECONDS = 20;

    private static final int LASTING_STREAMS = 16;

    private final Map<SocketAddress, Watched> connections = new HashMap<>();
    private final Arrivals arrivals;
    private final int unreadSeconds;
    private final int streamSeconds;
    private long ticks;

    ConnectionWatch(Arrivals arrivals) {
        this(arrivals, UNREAD_SECONDS, STREAM_SECONDS);
    }

    public ConnectionWatch(Arrivals arrivals, int unreadSeconds, int streamSeconds) {
        this.arrivals = arrivals;
        this.unreadSeconds = unreadSeconds;
        this.streamSeconds = streamSeconds;
    }

    private static final class Watched {

        /** The newest of an address: a connection that changes to HTTP/2 becomes another one. */
        private HttpConnection connection;

        private long since;
        private long unreadSince = -1;
        private int unread;

        /** The open streams, the oldest first, with the tick at which each began. */
        private final Map<HttpServerRequest, Long> streams = new LinkedHashMap<>();

        Watched(HttpConnection connection, long since) {
            this.connection = connection;
            this.since = since;
        }

        /** Whether too many streams began before this tick and are still open. */
        boolean hoards(long before) {
            return streams.size() > LASTING_STREAMS
                    && streams.values().stream()
                            .skip(LASTING_STREAMS)
                            .findFirst()
                            .filter(began -> began < before)
                            .isPresent();
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

    /** A request's head has been read; what is returned is to run when it is over. */
    Runnable asked(HttpServerRequest request) {
        Watched watched = connections.get(request.connection().remoteAddress());
        if (watched == null) {
            return () -> {};
        }
        watched.since = ticks;
        if (request.version() == HttpVersion.HTTP_2) {
            watched.streams.put(request, ticks);
            return () -> watched.streams.remove(request);
        }
        if (!request.response().writeQueueFull()) {
            watched.unreadSince = -1;
            watched.unread = 0;
        } else if (watched.unreadSince < 0) {
            watched.unreadSince = ticks;
        } else if (++watched.unread > MOST_UNREAD) {
            watched.connection.close();
        }
        return () -> {};
    }

    /** A second has passed. */
    public void tick() {
        ticks++;
        for (Watched watched : List.copyOf(connections.values())) {
            boolean silent = ticks - watched.since > NEXT_SECONDS;
            boolean deaf = watched.unreadSince >= 0 && ticks - watched.unreadSince > unreadSeconds;
            if (silent || deaf || watched.hoards(ticks - streamSeconds)) {
                watched.connection.close();
            }
        }
    }
}
