package io.sluice.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.util.Set;

/**
 * Detects the resets that Netty sends because of a caller's frame, such as a window update of zero. Netty's own limit of sent resets
 * misses them, because Netty writes them past its encoder.
 */
final class ProvokedResets extends ChannelOutboundHandlerAdapter {

    private static final int LENGTH = 4;
    private static final int FRAME_LENGTH = 9 + LENGTH;
    private static final int STREAM_AT = 5;
    private static final int ERROR_AT = 9;
    private static final Set<Long> PROVOKED = Set.of(
            Http2Error.PROTOCOL_ERROR.code(),
            Http2Error.FLOW_CONTROL_ERROR.code(),
            Http2Error.STREAM_CLOSED.code(),
            Http2Error.FRAME_SIZE_ERROR.code(),
            Http2Error.REFUSED_STREAM.code());

    private final Noticed noticed;

    /** Is notified of each reset after it has been written. */
    @FunctionalInterface
    interface Noticed {
        void reset(int stream, long error);
    }

    ProvokedResets(Noticed noticed) {
        this.noticed = noticed;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the promise reports the result
    public void write(ChannelHandlerContext context, Object written, ChannelPromise promise) {
        if (!(written instanceof ByteBuf frame) || !isProvoked(frame)) {
            context.write(written, promise);
            return;
        }
        int stream = frame.getInt(frame.readerIndex() + STREAM_AT);
        long error = frame.getUnsignedInt(frame.readerIndex() + ERROR_AT);
        context.write(written, promise);
        noticed.reset(stream, error);
    }

    /** Netty writes a reset as one buffer. */
    private static boolean isProvoked(ByteBuf frame) {
        int start = frame.readerIndex();
        return frame.readableBytes() == FRAME_LENGTH
                && frame.getInt(start) == (LENGTH << 8 | Http2FrameTypes.RST_STREAM)
                && PROVOKED.contains(frame.getUnsignedInt(start + ERROR_AT));
    }
}
