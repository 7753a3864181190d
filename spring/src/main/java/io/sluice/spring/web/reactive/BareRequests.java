package io.sluice.spring.web.reactive;

import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.util.context.ContextView;

/** Keeps each request as the server received it in the Reactor context, before other code rewrites it. Stateless. */
public final class BareRequests implements HttpHandlerDecoratorFactory {

    @Override
    public HttpHandler apply(HttpHandler handler) {
        return (request, response) ->
                handler.handle(request, response).contextWrite(context -> context.put(BareRequests.class, request));
    }

    /** Returns the request as it arrived, or the exchange's own request if it was not kept. */
    static ServerHttpRequest of(ServerWebExchange exchange, ContextView context) {
        return context.<ServerHttpRequest>getOrEmpty(BareRequests.class).orElseGet(exchange::getRequest);
    }
}
