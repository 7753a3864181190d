package io.sluice.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.AbstractSniHandler;
import io.netty.handler.ssl.SslHandler;
import java.nio.charset.StandardCharsets;

/**
 * The lowest handler of a connection until its first head was read. It has two tasks for which Vert.x has no option:
 *
 * <ul>
 *   <li>Connections that break before their first head are closed without a log line.
 *   <li>Without TLS, HTTP/2 starts only with its preface. Once the first bytes are not the preface, this handler adds a
 *       {@link NoUpgrade}.
 * </ul>
 */
final class FirstBytes extends ChannelInboundHandlerAdapter {

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private int matched;
    private boolean decided;
    private volatile boolean begun;

    /** Returns whether any byte has arrived. */
    boolean hasBegun() {
        return begun;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
        begun = true;
        if (!decided && read instanceof ByteBuf bytes && !isTls(context)) {
            begin(context, bytes);
        } else {
            context.fireChannelRead(read);
        }
    }

    /** Vert.x chooses the protocol at the first byte that differs from the preface, so nothing after that byte may arrive with it. */
    private void begin(ChannelHandlerContext context, ByteBuf bytes) {
        int length = Math.min(bytes.readableBytes(), PREFACE.length - matched);
        int same = 0;
        while (same < length && bytes.getByte(bytes.readerIndex() + same) == PREFACE[matched + same]) {
            same++;
        }
        matched += same;
        decided = same < length || matched == PREFACE.length;
        if (same < length) {
            context.fireChannelRead(bytes.readRetainedSlice(same + 1));
            NoUpgrade.addTo(context.pipeline());
        }
        context.fireChannelRead(bytes);
    }

    private static boolean isTls(ChannelHandlerContext context) {
        return context.pipeline().get(SslHandler.class) != null
                || context.pipeline().get(AbstractSniHandler.class) != null;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // no caller waits for it
    public void exceptionCaught(ChannelHandlerContext context, Throwable broken) {
        context.close();
    }
}
