package io.sluice.node.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.traffic.ChannelTrafficShapingHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends connections that have no request under way for too long, and those whose callers do not read their answers. A request that is
 * not answered yet has deadlines of its own, and {@link Arrivals} ends connections before their first request. One for each event loop,
 * for its thread alone.
 *
 * <p>The timeouts of Vert.x and Netty cannot do this because they measure silence: a byte or a ping now and then satisfies them, and
 * they would end a request that waits for a slow answer.
 */
public final class ClientConnections {

    /** A caller of HTTP/2 may leave this many ended answers unread, one of HTTP/1.1 as many as the write queue holds. */
    private static final int MOST_UNREAD = 16;

    /** A caller with more unread answers than that still reads, if slowly, if this many bytes go out in time. */
    private static final long LEAST_TAKEN = 16 * 1_024;

    private static final long UNREAD_SECONDS = 20;

    private final Arrivals arrivals;
    private final long idleTicks;
    private final long unreadTicks;

    /** By address, because a connection that changes to HTTP/2 becomes another object, and Vert.x does not say so. */
    private final Map<SocketAddress, Watched> connections = new HashMap<>();

    private long now;

    /** @param idleSeconds how long a connection may be open without a request; one that is not read has no longer */
    public ClientConnections(Arrivals arrivals, long idleSeconds) {
        this(arrivals, idleSeconds, Math.min(idleSeconds, UNREAD_SECONDS));
    }

    public ClientConnections(Arrivals arrivals, long idleSeconds, long unreadSeconds) {
        this.arrivals = arrivals;
        this.idleTicks = idleSeconds;
        this.unreadTicks = unreadSeconds;
    }

    private static final class Watched {

        private final HttpConnection connection;
        private final @Nullable Channel channel;
        private final List<HttpServerRequest> open = new ArrayList<>(1);
        private int sweepAt = 1;
        private @Nullable ChannelTrafficShapingHandler counter;
        private long idleSince;
        private long unreadSince;
        private long takenBefore;
        private long takenAtLastTick;
        private boolean waits;
        private boolean closing;

        Watched(HttpConnection connection, @Nullable Channel channel, long now) {
            this.connection = connection;
            this.channel = channel;
            this.idleSince = now;
            this.unreadSince = now;
        }

        void add(HttpServerRequest request, long now) {
            if (open.size() >= sweepAt) {
                sweep();
            }
            open.add(request);
            idleSince = now;
        }

        /** Forgets requests that are over; seldom enough to cost nothing, often enough to keep nothing. */
        void sweep() {
            open.removeIf(Watched::isOver);
            sweepAt = Math.max(1, 2 * open.size());
        }

        private static boolean isOver(HttpServerRequest request) {
            HttpServerResponse response = request.response();
            return response.closed() || (response.ended() && request.version() != HttpVersion.HTTP_2);
        }

        int unread() {
            int unread = 0;
            for (HttpServerRequest request : open) {
                unread += request.response().ended() ? 1 : 0;
            }
            return unread;
        }

        /** Then Vert.x reads no more requests, so nothing else tells of a caller who sends on and does not read. */
        boolean isFull() {
            return channel != null && !channel.isWritable();
        }

        /**
         * The bytes that have gone out since counting began. With HTTP/2 they go no faster than the caller takes them. Few connections
         * ever have to be counted; the counter is Netty's, which shapes nothing without limits.
         */
        long taken(boolean begin) {
            if (counter == null && channel != null && begin) {
                counter = new ChannelTrafficShapingHandler(0);
                channel.pipeline().addFirst(counter);
            }
            return counter == null ? 0 : counter.trafficCounter().cumulativeWrittenBytes();
        }

        /**
         * Ends the connection at once. Closing it in the regular way waits until everything is written, which is forever if the caller
         * does not read. The server's handler waits, too, when its channel is closed, so this begins below it.
         */
        @SuppressWarnings("FutureReturnValueIgnored") // the requests on it hear of it
        void cut() {
            closing = true;
            @Nullable
            ChannelHandlerContext lowest =
                    channel == null ? null : channel.pipeline().firstContext();
            if (lowest == null) {
                connection.close();
            } else {
                lowest.close();
            }
        }
    }

    public void opened(HttpConnection connection) {
        SocketAddress address = connection.remoteAddress();
        @Nullable Channel channel = arrivals.spoke(address);
        @Nullable Watched before = connections.get(address);
        connections.put(
                address, new Watched(connection, channel == null && before != null ? before.channel : channel, now));
        connection.closeHandler(closed -> forget(connection));
        connection.exceptionHandler(told -> {}); // the requests on it hear of it; callers must not fill the log
    }

    /** Watches a connection no longer: it is closed, or no longer one of HTTP. */
    public void forget(HttpConnection connection) {
        @Nullable Watched watched = watched(connection);
        if (watched != null) {
            watched.closing = true;
            connections.remove(connection.remoteAddress());
        }
    }

    /**
     * Hands on a request whose head has been read. Over HTTP/1.1 it waits, paused, while earlier answers lie unread, so that there is room
     * for its own; on a connection that is being ended it is not handed on at all.
     */
    public void asked(HttpServerRequest request, Consumer<HttpServerRequest> next) {
        @Nullable Watched watched = watched(request.connection());
        HttpServerResponse response = request.response();
        if (watched != null) {
            watched.add(request, now);
        }
        if (request.version() == HttpVersion.HTTP_2) {
            next.accept(request);
        } else if (watched == null || watched.closing) {
            request.pause();
        } else if (response.writeQueueFull()) {
            watched.waits = true;
            request.pause();
            response.drainHandler(drained -> {
                response.drainHandler(null);
                watched.waits = false;
                if (!watched.closing) {
                    next.accept(request);
                }
            });
        } else {
            next.accept(request);
        }
    }

    /** A second has passed. */
    public void tick() {
        now++;
        for (Watched watched : List.copyOf(connections.values())) {
            look(watched);
        }
    }

    private void look(Watched watched) {
        watched.sweep();
        int unread = watched.unread();
        boolean underWay = unread < watched.open.size();
        boolean stuck = unread > MOST_UNREAD || watched.waits || watched.closing || (!underWay && watched.isFull());
        long taken = watched.taken(unread > 0 || stuck);
        if (underWay || (unread > 0 && taken > watched.takenAtLastTick)) {
            watched.idleSince = now;
        }
        watched.takenAtLastTick = taken;
        if (!stuck || taken - watched.takenBefore >= LEAST_TAKEN) {
            watched.unreadSince = now;
            watched.takenBefore = taken;
        }
        boolean ignored = now - watched.unreadSince > unreadTicks;
        if (watched.closing && ignored) {
            watched.cut();
        } else if (!watched.closing && (ignored || now - watched.idleSince > idleTicks)) {
            // Answers that have ended may still be read.
            watched.closing = true;
            watched.connection.close();
        }
    }

    /** Ends a connection at once, whatever still waits to be read on it. */
    public void cut(HttpConnection connection) {
        @Nullable Watched watched = watched(connection);
        if (watched == null) {
            connection.close();
        } else {
            watched.cut();
        }
    }

    private @Nullable Watched watched(HttpConnection connection) {
        @Nullable Watched watched = connections.get(connection.remoteAddress());
        return watched != null && watched.connection == connection ? watched : null;
    }
}
