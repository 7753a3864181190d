package io.sluice.spring.web.reactive;

import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.util.context.ContextView;

/** Keeps every request as the server gave it, before anything rewrites it, in the Reactor context. Stateless. */
public final class BareRequests implements HttpHandlerDecoratorFactory {

    @Override
    public HttpHandler apply(HttpHandler handler) {
        return (request, response) ->
                handler.handle(request, response).contextWrite(context -> context.put(BareRequests.class, request));
    }

    /** The request as it came; the exchange's own where nobody kept it. */
    static ServerHttpRequest of(ServerWebExchange exchange, ContextView context) {
        return context.<ServerHttpRequest>getOrEmpty(BareRequests.class).orElseGet(exchange::getRequest);
    }
}
