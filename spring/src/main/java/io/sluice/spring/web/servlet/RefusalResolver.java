package io.sluice.spring.web.servlet;

import io.sluice.spring.web.Refusals;
import io.sluice.spring.web.WebAnswer;
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

/** Answers refused calls of handlers. It runs last, so an {@code @ExceptionHandler} of the application takes precedence. */
public final class RefusalResolver implements HandlerExceptionResolver, Ordered {

    private final WebAnswers answers;

    /** Creates a resolver. */
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
        Optional<WebAnswer> ours = Refusals.answer(failure, answers, request.getHeader("Accept-Language"));
        if (ours.isEmpty()) {
            return null;
        }
        try {
            return ServletAnswer.send(ours.get(), response) ? new ModelAndView() : null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
