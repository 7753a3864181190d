package io.sluice.spring.web.reactive;

import io.sluice.spring.web.WebAnswer;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Mono;

/** Sends answers of ours. */
final class ReactiveAnswer {

    private ReactiveAnswer() {}

    static Mono<Void> send(WebAnswer answer, ServerHttpResponse response) {
        response.setStatusCode(HttpStatusCode.valueOf(answer.status()));
        answer.headers().forEach(response.getHeaders()::set);
        byte[] body = answer.bytes();
        response.getHeaders().setContentLength(body.length);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
    }
}
