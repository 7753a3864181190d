package io.sluice.node.gateway.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.sluice.node.transport.Arrivals;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Closes connections on which no request is under way for too long, also if bytes of one trickle in, and HTTP/2 connections whose caller
 * leaves many answers unread and takes next to nothing of them. What is under way has deadlines of its own. One for each event loop, for its thread alone.
 */
public final class ClientConnections {

    /** So many answers that have ended may wait to be read, and for so many ticks. */
    private static final int MOST_UNREAD = 16;

    /** Who takes so many bytes in that time reads, if slowly. */
    private static final long LEAST_TAKEN = 16 * 1_024;

    private final Arrivals arrivals;
    private final long idleTicks;
    private final long unreadTicks;
    private final Map<HttpConnection, Watched> connections = new HashMap<>();

    /** The newest of each address: a connection that changes to HTTP/2 becomes another one, and nobody says so. */
    private final Map<SocketAddress, HttpConnection> newest = new HashMap<>();

    private long now;

    /** @param idleTicks without a request, in ticks of the caller */
    public ClientConnections(Arrivals arrivals, long idleTicks, long unreadTicks) {
        this.arrivals = arrivals;
        this.idleTicks = idleTicks;
        this.unreadTicks = unreadTicks;
    }

    private static final class Watched {

        private final List<HttpServerRequest> open = new ArrayList<>(1);
        private int sweepAt = 1;
        private long idleSince;
        private final @Nullable Channel channel;
        private @Nullable Outflow outflow;
        private long unreadSince;
        private long takenBefore;
        private boolean closing;

        Watched(@Nullable Channel channel, long now) {
            this.channel = channel;
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

        /** Counting begins with the need for it: few connections ever have it. */
        private boolean reads() {
            if (outflow == null && channel != null) {
                outflow = new Outflow();
                channel.pipeline().addFirst(outflow);
            }
            return outflow != null && outflow.bytes() - takenBefore >= LEAST_TAKEN;
        }

        private void hasRead(long now) {
            unreadSince = now;
            takenBefore = outflow == null ? 0 : outflow.bytes();
        }
    }

    public void opened(HttpConnection connection) {
        @Nullable Channel channel = arrivals.spoke(connection.remoteAddress());
        @Nullable HttpConnection before = newest.put(connection.remoteAddress(), connection);
        @Nullable Watched known = before == null ? null : connections.remove(before);
        connections.put(connection, new Watched(channel == null && known != null ? known.channel : channel, now));
        connection.closeHandler(closed -> forget(connection));
        connection.exceptionHandler(told -> {}); // the requests on it hear of it; callers must not fill the log
    }

    public void forget(HttpConnection connection) {
        connections.remove(connection);
        newest.remove(connection.remoteAddress(), connection);
    }

    public void asked(HttpServerRequest request) {
        Watched watched = connections.get(request.connection());
        if (watched != null) {
            if (watched.open.size() >= watched.sweepAt) {
                watched.sweep();
            }
            watched.open.add(request);
        }
    }

    /** Whether it is being ended here, though requests that came before may still be handed out by the server. */
    public boolean isClosing(HttpConnection connection) {
        Watched watched = connections.get(connection);
        return watched == null || watched.closing;
    }

    public void tick() {
        now++;
        for (Map.Entry<HttpConnection, Watched> each : List.copyOf(connections.entrySet())) {
            Watched watched = each.getValue();
            watched.sweep();
            if (!watched.open.isEmpty()) {
                watched.idleSince = now;
            }
            if ((!watched.hoards() && !watched.closing) || watched.reads()) {
                watched.hasRead(now);
            }
            boolean unread = now - watched.unreadSince > unreadTicks;
            if (watched.closing && unread) {
                cut(each.getKey(), watched);
            } else if (!watched.closing && (unread || now - watched.idleSince > idleTicks)) {
                close(each.getKey(), watched, unread);
            }
        }
    }

    /** What has been answered may be read, unless its caller did not read what came before it either. */
    private void close(HttpConnection connection, Watched watched, boolean unread) {
        watched.closing = true;
        if (!unread) {
            watched.reads();
            watched.hasRead(now);
        }
        connection.close();
    }

    /** Ends a connection at once. */
    public void cut(HttpConnection connection) {
        @Nullable Watched watched = connections.get(connection);
        if (watched == null) {
            connection.close();
        } else {
            cut(connection, watched);
        }
    }

    /**
     * To close a connection is to wait until everything is written, which is for ever if nobody reads. The server's handler does so, too,
     * when its channel is closed; so this begins below it.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // whoever is concerned hears of it
    private static void cut(HttpConnection connection, Watched watched) {
        watched.closing = true;
        @Nullable
        ChannelHandlerContext lowest =
                watched.channel == null ? null : watched.channel.pipeline().firstContext();
        if (lowest == null) {
            connection.close();
        } else {
            lowest.close();
        }
    }
}
