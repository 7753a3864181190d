package io.sluice.spring.gateway;

import io.sluice.rules.AnswerHeaders;
import io.sluice.rules.AnswerLanguage;
import io.sluice.rules.RefusalBody;
import io.sluice.rules.Ruling;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Lets an exchange pass, or answers it as every front door answers a refused request. Immutable. */
record RouteAnswer(RefusalBody refusals, boolean xRateLimit) {

    Mono<Void> passOrRefuse(Ruling.Settled ruling, ServerWebExchange exchange, GatewayFilterChain chain) {
        ServerHttpResponse response = exchange.getResponse();
        Map<String, String> headers = AnswerHeaders.of(ruling, xRateLimit);
        if (!ruling.allowed()) {
            return refuse(ruling, exchange, headers);
        }
        if (!headers.isEmpty()) {
            // At the end: the upstream's answer brings headers of its own, and ours are about this gateway.
            response.beforeCommit(() -> Mono.fromRunnable(() -> headers.forEach(response.getHeaders()::set)));
        }
        return chain.filter(exchange);
    }

    private Mono<Void> refuse(Ruling.Settled ruling, ServerWebExchange exchange, Map<String, String> headers) {
        ServerHttpResponse response = exchange.getResponse();
        AnswerLanguage language =
                AnswerLanguage.of(exchange.getRequest().getHeaders().getFirst(HttpHeaders.ACCEPT_LANGUAGE));
        RefusalBody.Content content = refusals.of(ruling, language);
        byte[] body = content.text().getBytes(StandardCharsets.UTF_8);
        HttpHeaders all = response.getHeaders();
        headers.forEach(all::set);
        all.set(HttpHeaders.CONTENT_LANGUAGE, content.language().code());
        all.setCacheControl("no-store");
        all.setContentType(MediaType.parseMediaType(content.contentType()));
        all.setContentLength(body.length);
        response.setStatusCode(HttpStatusCode.valueOf(content.status()));
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
    }
}
