package io.sluice.node.gateway;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An HTTP/2 server with prior knowledge that answers 200 at the end of each request and records the request. */
public final class Http2Upstream implements AutoCloseable {

    private final MultiThreadIoEventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private final int port;

    /**
     * A request as it was read.
     *
     * @param blocks the head, and the trailers if there were any
     */
    public record Request(List<Map<String, String>> blocks, String body) {}

    public Http2Upstream() throws InterruptedException {
        port = ((InetSocketAddress) new ServerBootstrap()
                        .group(loop)
                        .channel(NioServerSocketChannel.class)
                        .childHandler(new ChannelInitializer<SocketChannel>() {
                            @Override
                            protected void initChannel(SocketChannel channel) {
                                channel.pipeline()
                                        .addLast(
                                                Http2FrameCodecBuilder.forServer()
                                                        .build(),
                                                new Streams());
                            }
                        })
                        .bind(InetAddress.getLoopbackAddress(), 0)
                        .sync()
                        .channel()
                        .localAddress())
                .getPort();
    }

    public URI origin() {
        return URI.create("http://127.0.0.1:" + port);
    }

    public Request next() throws InterruptedException {
        Request request = requests.poll(60, TimeUnit.SECONDS);
        if (request == null) {
            throw new AssertionError("no request has ended");
        }
        return request;
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private final class Streams extends ChannelInboundHandlerAdapter {

        private final Map<Integer, List<Map<String, String>>> blocks = new TreeMap<>();
        private final Map<Integer, StringBuilder> bodies = new TreeMap<>();

        @Override
        public void channelRead(ChannelHandlerContext context, Object frame) {
            if (frame instanceof Http2HeadersFrame headers) {
                blocks.computeIfAbsent(headers.stream().id(), none -> new ArrayList<>())
                        .add(read(headers.headers()));
                bodies.putIfAbsent(headers.stream().id(), new StringBuilder());
                if (headers.isEndStream()) {
                    answer(context, headers.stream());
                }
            } else if (frame instanceof Http2DataFrame data) {
                bodies.get(data.stream().id()).append(data.content().toString(StandardCharsets.US_ASCII));
                if (data.isEndStream()) {
                    answer(context, data.stream());
                }
            }
            ReferenceCountUtil.release(frame);
        }

        @SuppressWarnings("FutureReturnValueIgnored") // the caller will miss the answer
        private void answer(ChannelHandlerContext context, Http2FrameStream stream) {
            requests.add(new Request(
                    blocks.remove(stream.id()), bodies.remove(stream.id()).toString()));
            context.writeAndFlush(
                    new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("200"), true).stream(stream));
        }

        private static Map<String, String> read(Http2Headers headers) {
            Map<String, String> read = new TreeMap<>();
            headers.forEach(each -> read.merge(
                    each.getKey().toString(), each.getValue().toString(), (first, second) -> first + ", " + second));
            return read;
        }
    }
}
