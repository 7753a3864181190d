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
 * Reads data that only Reactor Netty has: the target byte for byte, and the address of the peer even if the server is configured to trust
 * {@code X-Forwarded-For} from every caller. This is a separate class, because WebFlux also runs on other servers.
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

    /** Returns the event loop of the request's connection. */
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
