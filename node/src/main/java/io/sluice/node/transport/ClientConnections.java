package io.sluice.node.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.traffic.ChannelTrafficShapingHandler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends connections that have had no request in progress for too long, and connections whose callers do not read their answers. An
 * unanswered request has separate deadlines, {@link Arrivals} ends connections before their first request, and {@link Http2Frames} ends
 * connections with too many control frames. Each event loop has its own instance and is the only thread to use it.
 *
 * <p>The timeouts of Vert.x and Netty measure silence. A byte or a ping now and then satisfies them, and they would end a request that
 * waits for a slow answer.
 */
public final class ClientConnections {

    /**
     * The maximum number of finished answers that an HTTP/2 caller may leave unread. An HTTP/1.1 caller may leave as many as the write
     * queue holds.
     */
    private static final int MOST_UNREAD = 16;

    /** The minimum number of bytes sent in time that show that a caller with more unread answers is still reading, if slowly. */
    private static final long LEAST_TAKEN = 16 * 1_024;

    private static final long UNREAD_SECONDS = 20;

    /** RFC 9113, section 7. */
    private static final long NO_ERROR = 0x0;

    private final Arrivals arrivals;
    private final long idleTicks;
    private final long unreadTicks;

    private final IdentityHashMap<HttpConnection, Watched> connections = new IdentityHashMap<>();

    private long now;
    private boolean leaving;

    /**
     * @param idleSeconds the maximum time for which a connection may stay open without a request; also the maximum time for unread
     *     answers
     */
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
        private final @Nullable Http2Frames frames;
        private final List<HttpServerRequest> open = new ArrayList<>(1);
        private int sweepAt = 1;
        private @Nullable ChannelTrafficShapingHandler counter;
        private long idleSince;
        private long unreadSince;
        private long takenBefore;
        private long takenAtLastTick;
        private boolean waits;
        private boolean closing;
        private boolean told;

        Watched(HttpConnection connection, @Nullable Channel channel, UnreadBytes unread, long now) {
            this.connection = connection;
            this.channel = channel;
            this.frames = channel == null ? null : Http2Frames.limit(channel, unread);
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

        /** Forgets requests that have ended. Runs rarely enough to cost nothing and often enough to keep the list short. */
        void sweep() {
            open.removeIf(Watched::isOver);
            sweepAt = Math.max(1, 2 * open.size());
        }

        private static boolean isOver(HttpServerRequest request) {
            HttpServerResponse response = request.response();
            return response.closed() || (response.ended() && request.version() != HttpVersion.HTTP_2);
        }

        void end() {
            if (frames != null) {
                frames.end();
            }
        }

        int unread() {
            int unread = 0;
            for (HttpServerRequest request : open) {
                unread += request.response().ended() ? 1 : 0;
            }
            return unread;
        }

        /**
         * Asks the caller to open no more streams on this connection. Streams on their way are still answered, so the last stream is not
         * named yet (RFC 9113, section 6.8).
         */
        @SuppressWarnings("deprecation") // shutdown(), which replaces it, names the last stream immediately
        void tellToLeave() {
            if (!told && connection.protocolVersion() == HttpVersion.HTTP_2) {
                told = true;
                connection.goAway(NO_ERROR, Integer.MAX_VALUE);
            }
        }

        /**
         * Returns whether the write queue is full. Vert.x then stops reading, so nothing else reports a caller that keeps sending without
         * reading.
         */
        boolean isFull() {
            return channel != null && !channel.isWritable();
        }

        /**
         * Returns the number of bytes sent since counting started. With HTTP/2, bytes are sent no faster than the caller reads them. Few
         * connections are ever counted. The counter belongs to Netty's traffic shaping, which shapes nothing without limits.
         */
        long taken(boolean begin) {
            if (counter == null && channel != null && begin) {
                counter = new ChannelTrafficShapingHandler(0);
                channel.pipeline().addFirst(counter);
            }
            return counter == null ? 0 : counter.trafficCounter().cumulativeWrittenBytes();
        }

        /**
         * Ends the connection immediately. A regular close waits until everything is written, which is forever if the caller does not
         * read. The server's handler also waits when its channel is closed, so this starts below it.
         */
        @SuppressWarnings("FutureReturnValueIgnored") // the requests on it are notified
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
        connections.put(connection, new Watched(connection, arrivals.spoke(connection), arrivals.unread(), now));
        connection.closeHandler(closed -> forget(connection));
        connection.exceptionHandler(told -> {}); // the requests on it are notified; callers must not fill the log
    }

    /** Stops watching a connection that was closed or is no longer HTTP. */
    public void forget(HttpConnection connection) {
        @Nullable Watched watched = connections.get(connection);
        if (watched != null) {
            watched.closing = true;
            watched.end();
            connections.remove(connection);
        }
    }

    /**
     * Passes on a request whose head has been read. Over HTTP/1.1 the request stays paused while earlier answers are unread, so that
     * there is room for its answer. On a connection that is being ended, the request is not passed on.
     */
    public void asked(HttpServerRequest request, Consumer<HttpServerRequest> next) {
        @Nullable Watched watched = connections.get(request.connection());
        HttpServerResponse response = request.response();
        if (watched != null) {
            watched.add(request, now);
        }
        if (leaving) {
            markLast(request);
            if (watched != null) {
                watched.tellToLeave();
            }
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

    /**
     * Asks all callers to use other connections from now on: answers over HTTP/1.1 say {@code Connection: close}, and HTTP/2 connections
     * get a {@code GOAWAY}. Requests that still arrive are answered, and no connection is closed.
     */
    public void leave() {
        leaving = true;
        for (Watched watched : List.copyOf(connections.values())) {
            watched.tellToLeave();
            watched.open.forEach(ClientConnections::markLast);
        }
    }

    /** Does the same before the server stops, and names the last answered stream of each HTTP/2 connection. */
    @SuppressWarnings("deprecation") // as above
    public void stop() {
        leave();
        for (Watched watched : List.copyOf(connections.values())) {
            if (watched.told) {
                watched.connection.goAway(NO_ERROR);
            }
        }
    }

    /** Marks the answer as the last of its connection. An answer that opens a WebSocket replaces the header. */
    private static void markLast(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        if (request.version() != HttpVersion.HTTP_2 && !response.headWritten() && !response.closed()) {
            response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
    }

    /** Called every second. */
    public void tick() {
        now++;
        for (Watched watched : List.copyOf(connections.values())) {
            look(watched);
        }
    }

    private void look(Watched watched) {
        if (watched.frames != null) {
            watched.frames.tick();
        }
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
            // Answers that have ended may still be unread.
            watched.closing = true;
            watched.connection.close();
        }
    }

    /** Ends a connection immediately, even if it holds unread data. */
    public void cut(HttpConnection connection) {
        @Nullable Watched watched = connections.get(connection);
        if (watched == null) {
            connection.close();
        } else {
            watched.cut();
        }
    }
}
