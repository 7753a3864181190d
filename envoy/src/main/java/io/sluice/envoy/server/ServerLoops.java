package io.sluice.envoy.server;

import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The event loops of a server and the socket that it listens on. Connections that may not stay are closed as soon as they are accepted,
 * before any byte is read from them. gRPC has no option for that, and its own event loops cannot be used with another socket.
 */
final class ServerLoops implements AutoCloseable {

    /** The default number of event loops: Netty chooses two for each processor. */
    private static final int USUAL = 0;

    private static final Duration MAY_TAKE = Duration.ofSeconds(1);

    private final Predicate<Channel> connections;
    private final EventLoopGroup accepting = loops(1, "sluice-grpc-accept");
    private final EventLoopGroup serving = loops(USUAL, "sluice-grpc");

    /** @param connections decides whether a new connection may stay */
    ServerLoops(Predicate<Channel> connections) {
        this.connections = connections;
    }

    NettyServerBuilder use(NettyServerBuilder server) {
        return server.bossEventLoopGroup(accepting)
                .workerEventLoopGroup(serving)
                .channelFactory(this::socket);
    }

    private static EventLoopGroup loops(int threads, String name) {
        IoHandlerFactory handlers = Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), handlers);
    }

    private ServerChannel socket() {
        ServerChannel socket = Epoll.isAvailable() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
        socket.pipeline().addLast(new Accepting());
        return socket;
    }

    private final class Accepting extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object accepted) {
            if (accepted instanceof Channel channel && !connections.test(channel)) {
                channel.unsafe().closeForcibly();
            } else {
                context.fireChannelRead(accepted);
            }
        }
    }

    /** Closes the event loops. Call it after the server has ended. */
    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the threads are daemons
    public void close() {
        accepting.shutdownGracefully(0, MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
        serving.shutdownGracefully(0, MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
    }
}
