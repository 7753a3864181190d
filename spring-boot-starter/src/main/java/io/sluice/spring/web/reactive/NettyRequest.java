package io.sluice.spring.web.reactive;

import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.AbstractServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.netty.http.server.HttpServerRequest;

/**
 * What Reactor Netty knows better than Spring: the target byte for byte, and who really connected, where it was told to believe {@code
 * X-Forwarded-For} from everybody. Apart, since WebFlux runs on other servers, too.
 */
final class NettyRequest {

    private NettyRequest() {}

    static @Nullable String target(ServerHttpRequest request) {
        HttpServerRequest found = netty(request);
        return found == null ? null : found.uri();
    }

    static @Nullable InetSocketAddress peer(ServerHttpRequest request) {
        HttpServerRequest found = netty(request);
        return found != null && found.connectionRemoteAddress() instanceof InetSocketAddress address ? address : null;
    }

    static boolean isHttp2(ServerHttpRequest request) {
        HttpServerRequest found = netty(request);
        return found != null && found.version().majorVersion() > 1;
    }

    /** The event loop of its connection. */
    static @Nullable Executor loop(ServerHttpRequest request) {
        HttpServerRequest found = netty(request);
        if (found == null) {
            return null;
        }
        AtomicReference<Executor> loop = new AtomicReference<>();
        found.withConnection(connection -> loop.set(connection.channel().eventLoop()));
        return loop.get();
    }

    private static @Nullable HttpServerRequest netty(ServerHttpRequest request) {
        ServerHttpRequest inner = request;
        while (inner instanceof ServerHttpRequestDecorator decorator) {
            inner = decorator.getDelegate();
        }
        return inner instanceof AbstractServerHttpRequest known
                        && known.getNativeRequest() instanceof HttpServerRequest found
                ? found
                : null;
    }
}
