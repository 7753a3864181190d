package io.sluice.spring.gateway;

import io.sluice.rules.evaluate.Ruling;
import io.sluice.spring.web.WebAnswers;
import io.sluice.spring.web.reactive.ReactiveAnswer;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Lets an exchange pass, or sends the same response to a refused request as the web filters do. Immutable. */
public record RouteAnswer(WebAnswers answers) {

    Mono<Void> passOrRefuse(Ruling.Settled ruling, ServerWebExchange exchange, GatewayFilterChain chain) {
        if (ruling.allowed()) {
            ReactiveAnswer.addTo(exchange, answers.allowed(ruling));
            return chain.filter(exchange);
        }
        String language = exchange.getRequest().getHeaders().getFirst(HttpHeaders.ACCEPT_LANGUAGE);
        return ReactiveAnswer.send(answers.refused(ruling, language), exchange);
    }
}
