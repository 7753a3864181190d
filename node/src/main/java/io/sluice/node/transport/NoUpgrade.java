package io.sluice.node.transport;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import java.util.Locale;

/**
 * Ignores {@code Upgrade: h2c} in the first request of a connection; Vert.x upgrades at no other request. The request is then answered
 * over HTTP/1.1. An upgrade would bypass the checks of HTTP/1.1 heads, and behind a proxy that forwards it the caller could send requests
 * that the proxy never sees (RFC 9113 no longer has it).
 */
final class NoUpgrade extends ChannelInboundHandlerAdapter {

    private static final String H2C = "h2c";
    private static final String SETTINGS = "HTTP2-Settings";

    private NoUpgrade() {}

    /** Adds the handler behind the decoder of HTTP/1.1, if the connection has one. */
    static void addTo(ChannelPipeline pipeline) {
        ChannelHandlerContext decoder = pipeline.context(HttpRequestDecoder.class);
        if (decoder != null) {
            pipeline.addAfter(decoder.name(), null, new NoUpgrade());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
        if (read instanceof HttpRequest request) {
            boolean upgrades = request.headers().getAll(HttpHeaderNames.UPGRADE).stream()
                    .anyMatch(protocols -> protocols.toLowerCase(Locale.ROOT).contains(H2C));
            if (upgrades) {
                request.headers().remove(HttpHeaderNames.UPGRADE).remove(SETTINGS);
            }
            context.pipeline().remove(this);
        }
        context.fireChannelRead(read);
    }
}
