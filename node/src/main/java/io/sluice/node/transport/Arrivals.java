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
 * Connections from which no whole request has come yet. The server shows them to nobody before the first head is read, so they are
 * noted where they are accepted: this is the transport that it listens with. Safe for use by many threads.
 */
public final class Arrivals implements Transport {

    private final Transport transport;
    private final Map<String, Arrival> waiting = new ConcurrentHashMap<>();
    private final AtomicLong ticks = new AtomicLong();

    private record Arrival(Channel channel, long tick) {}

    private Arrivals(Transport transport) {
        this.transport = transport;
    }

    /** Over the native transport of this system, or Java's own where there is none. */
    public static Arrivals overBestTransport() {
        @Nullable Transport best = Transport.nativeTransport();
        return new Arrivals(best != null && best.available() ? best : Transport.NIO);
    }

    /** A whole head has come from there. Returns the connection the first time, null afterwards. */
    public @Nullable Channel spoke(SocketAddress address) {
        @Nullable Arrival arrival = waiting.remove(key(address.hostAddress(), address.port()));
        return arrival == null ? null : arrival.channel;
    }

    /** A second has passed: who has said nothing whole in so many of them is cut off. */
    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
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
