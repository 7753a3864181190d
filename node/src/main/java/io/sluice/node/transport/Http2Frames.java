package io.sluice.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import org.jspecify.annotations.Nullable;

/**
 * Limits the frames that a caller may send over one HTTP/2 connection besides requests. Used only by the thread of its event loop.
 *
 * <p>Frames that carry neither a request nor a body cost the caller nothing, but each is read and many are answered. A connection has
 * {@value #MOST_SPARE} of them to spare. It regains {@value #PER_TICK} each second, {@value #PER_REQUEST} with each request and one for
 * every {@value #BYTES_EACH} bytes of answers that were sent, because proper clients acknowledge what they receive. A reset that the caller
 * provokes costs {@value #PER_RESET}. A connection that has used up all is ended with {@code ENHANCE_YOUR_CALM}. Netty itself limits the
 * caller's own resets and continued heads.
 *
 * <p>Unread bodies count towards {@link UnreadBytes}.
 */
final class Http2Frames extends Http2FrameListenerDecorator {

    static final int MOST_SPARE = 200;
    private static final int PER_TICK = 50;
    private static final int PER_REQUEST = 2;
    private static final int BYTES_EACH = 8;
    static final int PER_RESET = 4;

    /** The size of the largest frame. A connection may hold this much even if there is no more room. */
    private static final int FRAME = 16 * 1_024;

    private final Http2ConnectionHandler handler;
    private final Http2Connection connection;
    private final UnreadBytes unread;
    private int spare = MOST_SPARE;
    private long granted;
    private long paidFor;
    private long held;
    private boolean over;

    private Http2Frames(Http2ConnectionHandler handler, UnreadBytes unread) {
        super(handler.decoder().frameListener());
        this.handler = handler;
        this.connection = handler.connection();
        this.unread = unread;
        this.granted = window();
    }

    /** Limits the frames of a channel from now on. Returns null if it is not HTTP/2. */
    static @Nullable Http2Frames limit(Channel channel, UnreadBytes unread) {
        ChannelHandlerContext context = channel.pipeline().context(Http2ConnectionHandler.class);
        if (context == null) {
            return null;
        }
        Http2ConnectionHandler handler = (Http2ConnectionHandler) context.handler();
        Http2Frames frames = new Http2Frames(handler, unread);
        handler.decoder().frameListener(frames);
        channel.pipeline()
                .addBefore(
                        context.name(),
                        null,
                        new ProvokedResets((stream, error) -> frames.provoked(context, stream, error)));
        return frames;
    }

    /** Called every second. */
    void tick() {
        if (spare >= 0) {
            spare = Math.min(MOST_SPARE, spare + PER_TICK);
        }
        hold();
    }

    /** Called when the connection has been closed. */
    void end() {
        over = true;
        unread.give(held);
        held = 0;
    }

    private int window() {
        return connection.remote().flowController().windowSize(connection.connectionStream());
    }

    private void spend() throws Http2Exception {
        earnByAnswers();
        spare--;
        check();
    }

    private void earnByAnswers() {
        long earned = (granted - window() - paidFor) / BYTES_EACH;
        paidFor += earned * BYTES_EACH;
        spare = (int) Math.min(MOST_SPARE, spare + earned);
    }

    private void earn() throws Http2Exception {
        check();
        spare = Math.min(MOST_SPARE, spare + PER_REQUEST);
    }

    /**
     * Ends the connection here, because the cause of a provoked reset is not reported as a frame. If the server has reset a stream
     * itself, a caller that was sending on it provokes another reset with each piece that was on its way. That costs little.
     */
    private void provoked(ChannelHandlerContext context, int stream, long error) {
        boolean had = spare >= 0;
        if (had) {
            earnByAnswers();
        }
        boolean late = error == Http2Error.STREAM_CLOSED.code() && connection.stream(stream) == null;
        spare -= late ? 1 : PER_RESET;
        if (had && spare < 0) {
            handler.onError(context, true, used());
        }
    }

    private void check() throws Http2Exception {
        if (spare < 0) {
            throw used();
        }
    }

    /**
     * Resets a stream because the connection holds too much. The reset costs as much as a provoked one, but is counted here: the decision
     * API resets with the same error when it lacks memory, which this caller need not have caused.
     */
    private Http2Exception noRoom(int stream) {
        earnByAnswers();
        spare -= PER_RESET;
        return spare < 0
                ? used()
                : Http2Exception.streamError(
                        stream, Http2Error.ENHANCE_YOUR_CALM, "no room for more bodies that nobody reads");
    }

    private static Http2Exception used() {
        return Http2Exception.connectionError(Http2Error.ENHANCE_YOUR_CALM, "too many control frames or resets");
    }

    /** Updates the number of bytes that the connection holds. Returns whether there is room for them. */
    private boolean hold() {
        if (over) {
            return true;
        }
        long before = held;
        held = connection.local().flowController().unconsumedBytes(connection.connectionStream());
        return unread.take(held - before);
    }

    @Override
    public int onDataRead(ChannelHandlerContext context, int stream, ByteBuf data, int padding, boolean end)
            throws Http2Exception {
        if (!data.isReadable() && !end) {
            spend();
        }
        if (!hold() && held > FRAME) {
            throw noRoom(stream);
        }
        return super.onDataRead(context, stream, data, padding, end);
    }

    @Override
    public void onHeadersRead(ChannelHandlerContext context, int stream, Http2Headers headers, int padding, boolean end)
            throws Http2Exception {
        earn();
        super.onHeadersRead(context, stream, headers, padding, end);
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext context,
            int stream,
            Http2Headers headers,
            int dependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean end)
            throws Http2Exception {
        earn();
        super.onHeadersRead(context, stream, headers, dependency, weight, exclusive, padding, end);
    }

    @Override
    public void onPriorityRead(
            ChannelHandlerContext context, int stream, int dependency, short weight, boolean exclusive)
            throws Http2Exception {
        spend();
        super.onPriorityRead(context, stream, dependency, weight, exclusive);
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext context, Http2Settings settings) throws Http2Exception {
        spend();
        super.onSettingsRead(context, settings);
    }

    @Override
    public void onSettingsAckRead(ChannelHandlerContext context) throws Http2Exception {
        spend();
        super.onSettingsAckRead(context);
    }

    @Override
    public void onPingRead(ChannelHandlerContext context, long data) throws Http2Exception {
        spend();
        super.onPingRead(context, data);
    }

    @Override
    public void onPingAckRead(ChannelHandlerContext context, long data) throws Http2Exception {
        spend();
        super.onPingAckRead(context, data);
    }

    @Override
    public void onGoAwayRead(ChannelHandlerContext context, int last, long code, ByteBuf data) throws Http2Exception {
        spend();
        super.onGoAwayRead(context, last, code, data);
    }

    @Override
    public void onWindowUpdateRead(ChannelHandlerContext context, int stream, int increment) throws Http2Exception {
        if (stream == 0) {
            granted += increment;
        }
        spend();
        super.onWindowUpdateRead(context, stream, increment);
    }

    @Override
    public void onUnknownFrame(ChannelHandlerContext context, byte type, int stream, Http2Flags flags, ByteBuf payload)
            throws Http2Exception {
        spend();
        super.onUnknownFrame(context, type, stream, flags, payload);
    }
}
