package io.sluice.node.gateway.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.http.impl.http1.Http1ServerRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What callers send after the bodies of their requests. The server reads it and shows it to nobody, so it is picked up below it. For
 * the event loop of the connection alone.
 *
 * <p>With HTTP/1.1 the next requests may have been read before the first is handled. So trailers are kept with the very object that is
 * the head of their request; with HTTP/2, with its stream. They live no longer than that, and nobody else's request can have them.
 */
public final class CallerTrailers {

    private CallerTrailers() {}

    /** From now on trailers of this connection are kept. */
    static void keep(HttpConnection connection) {
        if (!(connection instanceof HttpServerConnection server)) {
            return;
        }
        ChannelHandlerContext context = server.channelHandlerContext();
        if (context.handler() instanceof Http2ConnectionHandler handler) {
            @Nullable Http2FrameListener listener = handler.decoder().frameListener();
            if (listener != null) {
                handler.decoder().frameListener(new OfStreams(listener, handler.connection()));
            }
        } else {
            context.pipeline().addBefore(context.name(), null, new OfChunks());
        }
    }

    /** Those of a request that has been read to its end, as they came. */
    public static Iterable<Map.Entry<CharSequence, CharSequence>> of(HttpServerRequest request) {
        if (request instanceof Http1ServerRequest read && read.nettyRequest() instanceof Head head) {
            return head.trailers::iteratorCharSequence;
        }
        if (request.version() == HttpVersion.HTTP_2
                && request.connection() instanceof HttpServerConnection server
                && server.channelHandlerContext().handler() instanceof Http2ConnectionHandler handler
                && handler.decoder().frameListener() instanceof OfStreams kept) {
            return kept.of(request.streamId());
        }
        return EmptyHttpHeaders.INSTANCE::iteratorCharSequence;
    }

    /** Whether it is known that nothing follows the head of a request over HTTP/2. */
    public static boolean isHeadAlone(HttpServerRequest request) {
        return request.bytesRead() == 0
                && request.connection() instanceof HttpServerConnection server
                && server.channelHandlerContext().handler() instanceof Http2ConnectionHandler handler
                && handler.decoder().frameListener() instanceof OfStreams kept
                && kept.isHeadAlone(request.streamId());
    }

    /** The head of a request that may have them. */
    private static final class Head extends DefaultHttpRequest {

        private HttpHeaders trailers = EmptyHttpHeaders.INSTANCE;

        Head(DefaultHttpRequest head) {
            super(head.protocolVersion(), head.method(), head.uri(), head.headers());
        }
    }

    private static final class OfChunks extends ChannelInboundHandlerAdapter {

        private @Nullable Head current;

        @Override
        public void channelRead(ChannelHandlerContext context, Object piece) {
            if (piece instanceof DefaultHttpRequest head) {
                current = mayHaveTrailers(head) ? new Head(head) : null;
                context.fireChannelRead(current == null ? head : current);
                return;
            }
            if (current != null
                    && piece instanceof LastHttpContent last
                    && !last.trailingHeaders().isEmpty()) {
                current.trailers = last.trailingHeaders();
            }
            context.fireChannelRead(piece);
        }

        private static boolean mayHaveTrailers(DefaultHttpRequest head) {
            return !(head instanceof HttpContent)
                    && head.decoderResult().isSuccess()
                    && head.headers().contains(HttpHeaderNames.TRANSFER_ENCODING);
        }
    }

    private static final class OfStreams extends Http2FrameListenerDecorator {

        private final Http2Connection connection;
        private final Http2Connection.PropertyKey key;

        OfStreams(Http2FrameListener listener, Http2Connection connection) {
            super(listener);
            this.connection = connection;
            this.key = connection.newKey();
        }

        Iterable<Map.Entry<CharSequence, CharSequence>> of(long id) {
            @Nullable Http2Stream stream = connection.stream((int) id);
            @Nullable Http2Headers trailers = stream == null ? null : stream.getProperty(key);
            return trailers == null ? List.of() : trailers;
        }

        /** Of the first stream it is not known: if its connection began as one of HTTP/1.1, it looks ended while its body comes. */
        boolean isHeadAlone(long id) {
            @Nullable Http2Stream stream = connection.stream((int) id);
            return id > 1
                    && stream != null
                    && stream.state() == Http2Stream.State.HALF_CLOSED_REMOTE
                    && stream.getProperty(key) == null;
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext context, int id, Http2Headers headers, int padding, boolean endOfStream)
                throws Http2Exception {
            keep(id, headers, endOfStream);
            super.onHeadersRead(context, id, headers, padding, endOfStream);
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext context,
                int id,
                Http2Headers headers,
                int dependency,
                short weight,
                boolean exclusive,
                int padding,
                boolean endOfStream)
                throws Http2Exception {
            keep(id, headers, endOfStream);
            super.onHeadersRead(context, id, headers, dependency, weight, exclusive, padding, endOfStream);
        }

        private void keep(int id, Http2Headers headers, boolean endOfStream) {
            if (endOfStream && headers.method() == null) {
                @Nullable Http2Stream stream = connection.stream(id);
                if (stream != null) {
                    stream.setProperty(key, headers);
                }
            }
        }
    }
}
