package io.sluice.spring.web.reactive;

import io.sluice.rules.pattern.Address;
import io.sluice.spring.internal.HeaderValues;
import io.sluice.spring.web.IncomingRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.Principal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.util.ClassUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.util.context.ContextView;

/**
 * A request as the server received it. Target, address and headers are the values that {@link BareRequests} kept, before
 * Spring's {@code ForwardedHeaderTransformer} rewrote them from headers that any caller can send. The method is the method that
 * filters chose.
 */
final class ReactiveIncoming implements IncomingRequest {

    private static final boolean NETTY = ClassUtils.isPresent(
            "reactor.netty.http.server.HttpServerRequest", ReactiveIncoming.class.getClassLoader());

    private final ServerWebExchange exchange;
    private final ServerHttpRequest bare;
    private final @Nullable Principal principal;

    private ReactiveIncoming(ServerWebExchange exchange, ServerHttpRequest bare, @Nullable Principal principal) {
        this.exchange = exchange;
        this.bare = bare;
        this.principal = principal;
    }

    static ReactiveIncoming of(ServerWebExchange exchange, ContextView context, Optional<Principal> principal) {
        return new ReactiveIncoming(exchange, BareRequests.of(exchange, context), principal.orElse(null));
    }

    @Override
    public String method() {
        return exchange.getRequest().getMethod().name();
    }

    @Override
    public String target() {
        String raw = NETTY ? NettyRequest.target(bare) : null;
        if (raw != null) {
            return raw;
        }
        URI uri = bare.getURI();
        String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
    }

    @Override
    public List<String> headers(String name) {
        return HeaderValues.of(bare.getHeaders(), name);
    }

    @Override
    public @Nullable Address peer() {
        InetSocketAddress remote = NETTY ? NettyRequest.peer(bare) : null;
        InetSocketAddress peer = remote == null ? bare.getRemoteAddress() : remote;
        InetAddress address = peer == null ? null : peer.getAddress();
        return address == null ? null : Address.of(address.getAddress());
    }

    @Override
    public @Nullable Principal principal() {
        return principal;
    }

    @Override
    public @Nullable Object note(String name) {
        return exchange.getAttribute(name);
    }

    /** In HTTP/2 a request without these headers may still have a body. */
    @Override
    public boolean isBodiless() {
        return header("content-length") == null
                && header("transfer-encoding") == null
                && !(NETTY && NettyRequest.isHttp2(bare));
    }
}
