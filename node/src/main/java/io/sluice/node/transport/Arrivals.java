package io.sluice.node.transport;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.transport.Transport;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Connections that have not sent a complete request head yet. The server reports a connection only after its first head was read, so
 * connections are recorded where they are accepted: this is the transport that the server listens with. Thread-safe.
 */
public final class Arrivals implements Transport {

    private final Transport transport;
    private final Map<String, Arrival> waiting = new ConcurrentHashMap<>();
    private final AtomicLong ticks = new AtomicLong();

    private record Arrival(Channel channel, long tick) {}

    private Arrivals(Transport transport) {
        this.transport = transport;
    }

    /** Uses the native transport of the operating system, or the JDK's if there is none. */
    public static Arrivals overBestTransport() {
        @Nullable Transport best = Transport.nativeTransport();
        return new Arrivals(best != null && best.available() ? best : Transport.NIO);
    }

    /** Called when a complete head has arrived from an address. Returns the connection the first time, null afterwards. */
    public @Nullable Channel spoke(SocketAddress address) {
        @Nullable Arrival arrival = waiting.remove(key(address.hostAddress(), address.port()));
        return arrival == null ? null : arrival.channel;
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

    private static String key(@Nullable String host, int port) {
        return host + " " + port;
    }

    @ChannelHandler.Sharable
    private final class Noting extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object accepted) {
            if (accepted instanceof Channel channel && channel.remoteAddress() instanceof InetSocketAddress address) {
                waiting.put(
                        key(address.getAddress().getHostAddress(), address.getPort()),
                        new Arrival(channel, ticks.get()));
            }
            context.fireChannelRead(accepted);
        }
    }
}
