package io.sluice.spring.web.reactive;

import io.sluice.spring.web.Refusals;
import io.sluice.spring.web.WebAnswer;
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
        String language = exchange.getRequest().getHeaders().getFirst("Accept-Language");
        Optional<WebAnswer> ours = Refusals.answer(failure, answers, language);
        return ours.isEmpty() || exchange.getResponse().isCommitted()
                ? Mono.error(failure)
                : ReactiveAnswer.send(ours.get(), exchange);
    }
}
