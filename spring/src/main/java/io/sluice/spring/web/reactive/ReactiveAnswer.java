package io.sluice.spring.web.reactive;

import io.sluice.spring.web.WebAnswer;
import java.util.Map;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Sends responses on the thread of the connection, and adds headers to other responses. */
public final class ReactiveAnswer {

    private static final String OURS = ReactiveAnswer.class.getName();

    private ReactiveAnswer() {}

    /** Sends a whole response. */
    public static Mono<Void> send(WebAnswer answer, ServerWebExchange exchange) {
        exchange.getAttributes().put(OURS, true);
        return Mono.defer(() -> written(answer, exchange.getResponse()))
                .subscribeOn(ConnectionThread.of(exchange.getRequest()));
    }

    private static Mono<Void> written(WebAnswer answer, ServerHttpResponse response) {
        response.setStatusCode(HttpStatusCode.valueOf(answer.status()));
        answer.headers().forEach(response.getHeaders()::set);
        byte[] body = answer.bytes();
        response.getHeaders().setContentLength(body.length);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
    }

    /**
     * Adds headers to a response that the application sends. They are set last, because the response may contain headers of the
     * same name from an upstream server. A refusal that is sent instead keeps its own headers.
     */
    public static void addTo(ServerWebExchange exchange, Map<String, String> headers) {
        if (!headers.isEmpty()) {
            ServerHttpResponse response = exchange.getResponse();
            response.beforeCommit(() -> Mono.fromRunnable(() -> {
                if (!isOurs(exchange)) {
                    headers.forEach(response.getHeaders()::set);
                }
            }));
        }
    }

    /** Returns whether {@link #send} sends the response. */
    static boolean isOurs(ServerWebExchange exchange) {
        return exchange.getAttribute(OURS) != null;
    }
}
