package io.sluice.spring.web.reactive;

import io.sluice.spring.web.WebAnswer;
import java.util.Map;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Sends responses on the thread of the connection, and adds headers to the responses of others. */
public final class ReactiveAnswer {

    private ReactiveAnswer() {}

    /** Sends a whole response. */
    public static Mono<Void> send(WebAnswer answer, ServerWebExchange exchange) {
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
     * same name from an upstream server.
     */
    public static void addTo(ServerHttpResponse response, Map<String, String> headers) {
        if (!headers.isEmpty()) {
            response.beforeCommit(() -> Mono.fromRunnable(() -> headers.forEach(response.getHeaders()::set)));
        }
    }
}
