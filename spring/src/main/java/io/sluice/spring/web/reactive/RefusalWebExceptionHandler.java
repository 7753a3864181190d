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
 * Answers refused calls of controllers, functional routes and filters. An {@code @ExceptionHandler} of the application takes
 * precedence. This handler runs just before Boot's error page.
 */
public final class RefusalWebExceptionHandler implements WebExceptionHandler, Ordered {

    /** The order just before Boot's own handler, which has the order -1. */
    private static final int ORDER = -2;

    private final WebAnswers answers;

    /** Creates a handler. */
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
