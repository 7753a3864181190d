package io.sluice.spring.web.servlet;

import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.web.Refusals;
import io.sluice.spring.web.WebAnswers;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/** Answers refused calls of handlers, after everybody else was asked: an {@code @ExceptionHandler} of the application wins. */
public final class RefusalResolver implements HandlerExceptionResolver, Ordered {

    private final WebAnswers answers;

    /** Answers so. */
    public RefusalResolver(WebAnswers answers) {
        this.answers = answers;
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception failure) {
        Optional<RateLimitExceededException> refusal = Refusals.in(failure);
        if (refusal.isEmpty()) {
            return null;
        }
        try {
            boolean sent = ServletAnswer.send(
                    answers.refused(refusal.get().ruling(), request.getHeader("Accept-Language")), response);
            return sent ? new ModelAndView() : null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
