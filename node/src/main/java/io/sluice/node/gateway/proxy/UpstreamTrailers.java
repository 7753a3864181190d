package io.sluice.node.gateway.proxy;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Headers;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.impl.HttpClientConnection;

/**
 * Ends a request with trailers, for which the client has no way of its own. For the event loop of the connection alone, and only when
 * everything before the end has been written: then the next end that passes is that of this request, whoever had the connection before.
 */
final class UpstreamTrailers {

    private UpstreamTrailers() {}

    /** @param trailers their names in small letters; not empty */
    static void end(HttpClientRequest to, MultiMap trailers) {
        if (to.connection() instanceof HttpClientConnection connection) {
            ChannelHandlerContext context = connection.channelHandlerContext();
            if (context.handler() instanceof Http2ConnectionHandler handler) {
                writeFrame(context, handler, to, trailers);
            } else {
                context.pipeline().addBefore(context.name(), null, new WithTrailers(trailers));
            }
        }
        to.end();
    }

    /** It ends the stream. The client then notes the end, and the empty frame that it writes for it is refused below it, unseen. */
    @SuppressWarnings("FutureReturnValueIgnored") // the answer fails with it
    private static void writeFrame(
            ChannelHandlerContext context, Http2ConnectionHandler handler, HttpClientRequest to, MultiMap trailers) {
        Http2Headers frame = new DefaultHttp2Headers();
        trailers.forEach((name, value) -> frame.add(name, value));
        handler.encoder().writeHeaders(context, (int) to.streamId(), frame, 0, true, context.newPromise());
        context.flush();
    }

    /** Puts them into the last chunk, once. */
    private static final class WithTrailers extends ChannelOutboundHandlerAdapter {

        private final MultiMap trailers;

        WithTrailers(MultiMap trailers) {
            this.trailers = trailers;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // whoever writes has the promise
        public void write(ChannelHandlerContext context, Object piece, ChannelPromise written) {
            if (piece instanceof LastHttpContent last) {
                DefaultLastHttpContent whole = new DefaultLastHttpContent(last.content());
                trailers.forEach((name, value) -> whole.trailingHeaders().add(name, value));
                context.write(whole, written);
                context.pipeline().remove(this);
            } else {
                context.write(piece, written);
            }
        }
    }
}
