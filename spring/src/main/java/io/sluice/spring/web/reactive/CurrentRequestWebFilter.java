package io.sluice.spring.web.reactive;

import io.sluice.spring.CurrentRequest;
import io.sluice.spring.web.LazyRequest;
import io.sluice.spring.web.RequestReader;
import io.sluice.spring.web.WebAnswers;
import java.security.Principal;
import java.util.Optional;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Puts the {@link CurrentRequest} into the Reactor context, under the key {@code CurrentRequest.class}. Except for the principal,
 * values are computed only when they are read.
 */
public final class CurrentRequestWebFilter implements WebFilter, Ordered {

    private final RequestReader reader;
    private final WebAnswers answers;
    private final int order;

    /** Creates a filter with the given order. */
    public CurrentRequestWebFilter(RequestReader reader, WebAnswers answers, int order) {
        this.reader = reader;
        this.answers = answers;
        this.order = order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        return Mono.deferContextual(context -> exchange.getPrincipal()
                .map(Optional::<Principal>of)
                .defaultIfEmpty(Optional.empty())
                .flatMap(principal -> {
                    CurrentRequest current = new LazyRequest(
                            ReactiveIncoming.of(exchange, context, principal),
                            reader,
                            new ReactiveReports(exchange, answers));
                    return chain.filter(exchange).contextWrite(known -> known.put(CurrentRequest.class, current));
                }));
    }
}
