package io.sluice.spring.web.reactive;

import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.web.Refusals;
import io.sluice.spring.web.WebAnswers;
import java.util.Optional;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Answers refused calls, whoever made them: controllers, functional routes, filters. An {@code @ExceptionHandler} of the application is
 * asked long before; this comes just before Boot's page of errors.
 */
public final class RefusalWebExceptionHandler implements WebExceptionHandler, Ordered {

    /** Boot's own stands at -1. */
    private static final int ORDER = -2;

    private final WebAnswers answers;

    /** Answers so. */
    public RefusalWebExceptionHandler(WebAnswers answers) {
        this.answers = answers;
    }

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
        Optional<RateLimitExceededException> refusal = Refusals.in(failure);
        if (refusal.isEmpty() || exchange.getResponse().isCommitted()) {
            return Mono.error(failure);
        }
        String language = exchange.getRequest().getHeaders().getFirst("Accept-Language");
        return ReactiveAnswer.send(answers.refused(refusal.get().ruling(), language), exchange);
    }
}
