package io.sluice.node.transport;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.transport.Transport;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections that have not sent a complete request head yet, and the number of connections of each server. The server reports a
 * connection only after its first head was read, so connections are recorded where they are accepted: this class is the transport with
 * which the server listens. Thread-safe.
 */
public final class Arrivals implements Transport {

    /** The share of the heap that unread bodies may use. */
    private static final int SHARE_OF_HEAP = 8;

    private static final Logger LOG = LoggerFactory.getLogger(Arrivals.class);

    private static final Duration CLOSING_MAY_TAKE = Duration.ofSeconds(5);

    /** The time for which a connection may stay silent after the port is closed. A request that follows immediately arrives within it. */
    private static final Duration BEGINNING_MAY_TAKE = Duration.ofMillis(250);

    private static final AttributeKey<OpenConnections> OPEN = AttributeKey.valueOf(OpenConnections.class, "open");

    private final Transport transport;
    private final UnreadBytes unread;
    private final Map<String, Arrival> waiting = new ConcurrentHashMap<>();
    private final Set<Channel> servers = ConcurrentHashMap.newKeySet();
    private final AtomicLong ticks = new AtomicLong();

    /** @param spoken completed when the first head has been read, or the connection is closed */
    private record Arrival(
            Channel server, Channel channel, FirstBytes first, long tick, CompletableFuture<Void> spoken) {}

    private Arrivals(Transport transport, UnreadBytes unread) {
        this.transport = transport;
        this.unread = unread;
    }

    /** Uses the native transport of the operating system, or the JDK's if there is none. */
    public static Arrivals overBestTransport() {
        return overBestTransport(new UnreadBytes(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP));
    }

    static Arrivals overBestTransport(UnreadBytes unread) {
        @Nullable Transport best = Transport.nativeTransport();
        return new Arrivals(best != null && best.available() ? best : Transport.NIO, unread);
    }

    /**
     * From now on, closes new connections to a server immediately while it has this many. Another server may use the same port at another
     * address; it has a separate number.
     *
     * @param host the address that the server listens on
     * @return the connections of the server from now on
     */
    public OpenConnections limit(String host, int port, int connections) {
        OpenConnections open = new OpenConnections(connections);
        serversAt(host, port).forEach(server -> server.attr(OPEN).set(open));
        return open;
    }

    /**
     * Closes the listening sockets of a server, and waits until the callers of accepted connections have sent the heads that they have
     * started. The server itself cannot wait: while it closes, it accepts connections that it then resets, and cuts off heads of which a
     * part has arrived.
     *
     * @param host the address that the server listens on
     * @param mayTake the time limit for a caller that has sent a part of its first head
     */
    public void stopListening(String host, int port, Duration mayTake) {
        List<Channel> closing = serversAt(host, port);
        try {
            for (Channel server : closing) {
                server.close().get(CLOSING_MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
            }
            List<Arrival> accepted = waiting.values().stream()
                    .filter(arrival -> closing.contains(arrival.server))
                    .toList();
            await(accepted, BEGINNING_MAY_TAKE);
            await(accepted.stream().filter(arrival -> arrival.first.hasBegun()).toList(), mayTake);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("listening sockets were not closed in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(List<Arrival> arrivals, Duration mayTake)
            throws InterruptedException, ExecutionException {
        try {
            CompletableFuture.allOf(arrivals.stream().map(Arrival::spoken).toArray(CompletableFuture<?>[]::new))
                    .get(mayTake.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.debug("some connections have sent no request");
        }
    }

    private List<Channel> serversAt(String host, int port) {
        @Nullable InetAddress wanted = new InetSocketAddress(host, port).getAddress();
        List<Channel> onPort =
                servers.stream().filter(server -> isOn(port, server)).toList();
        List<Channel> there =
                onPort.stream().filter(server -> isAt(wanted, server)).toList();
        // If the server interprets a host name in another way, it is better to find too many servers than none.
        return there.isEmpty() ? onPort : there;
    }

    private static boolean isOn(int port, Channel server) {
        return server.localAddress() instanceof InetSocketAddress bound && bound.getPort() == port;
    }

    /** The address of all interfaces may be bound in the form of the other IP version. */
    private static boolean isAt(@Nullable InetAddress wanted, Channel server) {
        return wanted != null
                && server.localAddress() instanceof InetSocketAddress bound
                && (wanted.equals(bound.getAddress())
                        || (wanted.isAnyLocalAddress() && bound.getAddress().isAnyLocalAddress()));
    }

    UnreadBytes unread() {
        return unread;
    }

    /** Called when a complete head has arrived on a connection. Returns its channel the first time, null afterwards. */
    public @Nullable Channel spoke(HttpConnection connection) {
        @Nullable Arrival arrival = waiting.remove(key(connection.remoteAddress(), connection.localAddress()));
        if (arrival == null) {
            return null;
        }
        if (arrival.channel.pipeline().context(arrival.first) != null) {
            arrival.channel.pipeline().remove(arrival.first);
        }
        arrival.spoken.complete(null);
        return arrival.channel;
    }

    /** Called every second. Cuts connections that have sent no complete head for this many seconds. */
    @SuppressWarnings("FutureReturnValueIgnored") // no caller waits for it
    public void tick(int mayTakeSeconds) {
        long now = ticks.incrementAndGet();
        waiting.forEach((key, arrival) -> {
            if (now - arrival.tick > mayTakeSeconds && waiting.remove(key, arrival)) {
                arrival.channel.close();
            }
        });
    }

    /** Returns the number of connections that have not sent a complete head yet. */
    int waiting() {
        return waiting.size();
    }

    @Override
    public String name() {
        return transport.name();
    }

    @Override
    public boolean available() {
        return transport.available();
    }

    @Override
    public @Nullable Throwable unavailabilityCause() {
        return transport.unavailabilityCause();
    }

    @Override
    public io.vertx.core.spi.transport.Transport implementation() {
        io.vertx.core.spi.transport.Transport own = transport.implementation();
        return (io.vertx.core.spi.transport.Transport) Proxy.newProxyInstance(
                Arrivals.class.getClassLoader(),
                new Class<?>[] {io.vertx.core.spi.transport.Transport.class},
                (self, method, arguments) -> {
                    try {
                        Object result = method.invoke(own, arguments);
                        if (arguments != null
                                && arguments.length > 0
                                && arguments[arguments.length - 1] instanceof ServerBootstrap server) {
                            server.handler(new Noting());
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                });
    }

    /** A client may use the same local port for connections to several ports and addresses of this machine. */
    private static String key(@Nullable SocketAddress remote, @Nullable SocketAddress local) {
        return key(remote) + " " + key(local);
    }

    private static @Nullable String key(@Nullable SocketAddress address) {
        return address == null ? null : address.hostAddress() + " " + address.port();
    }

    private static String key(InetSocketAddress remote, InetSocketAddress local) {
        return key(SocketAddress.inetSocketAddress(remote), SocketAddress.inetSocketAddress(local));
    }

    @ChannelHandler.Sharable
    private final class Noting extends ChannelInboundHandlerAdapter {

        /** Used instead of the event that the channel is active, which may come after the server has reported that it listens. */
        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the listener is all that is needed
        public void handlerAdded(ChannelHandlerContext context) {
            Channel server = context.channel();
            servers.add(server);
            server.closeFuture().addListener(closed -> servers.remove(server));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object accepted) {
            if (accepted instanceof Channel channel
                    && channel.remoteAddress() instanceof InetSocketAddress remote
                    && channel.localAddress() instanceof InetSocketAddress local) {
                @Nullable OpenConnections open = context.channel().attr(OPEN).get();
                if (open != null && !open.admit(channel)) {
                    channel.unsafe().closeForcibly();
                    return;
                }
                note(context.channel(), channel, key(remote, local));
            }
            context.fireChannelRead(accepted);
        }

        @SuppressWarnings("FutureReturnValueIgnored") // the listener is all that is needed
        private void note(Channel server, Channel channel, String key) {
            FirstBytes first = new FirstBytes();
            Arrival arrival = new Arrival(server, channel, first, ticks.get(), new CompletableFuture<>());
            channel.pipeline().addLast(first);
            waiting.put(key, arrival);
            channel.closeFuture().addListener(closed -> {
                waiting.remove(key, arrival);
                arrival.spoken.complete(null);
            });
        }
    }
}
