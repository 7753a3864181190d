package io.sluice.node.gateway.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;

/**
 * Counts the bytes that go out to a caller. With HTTP/2 they go no faster than he takes them, but for what the system buffers. For its
 * event loop alone.
 */
final class Outflow extends ChannelOutboundHandlerAdapter {

    private long bytes;

    long bytes() {
        return bytes;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // whoever writes has the promise
    public void write(ChannelHandlerContext context, Object piece, ChannelPromise written) {
        if (piece instanceof ByteBuf buffer) {
            bytes += buffer.readableBytes();
        }
        context.write(piece, written);
    }
}
