package io.sluice.spring.web.servlet;

import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.web.Refusals;
import io.sluice.spring.web.WebAnswers;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;

/** Answers refused calls of filters and of servlets that are not Spring's. */
public final class RefusalFilter implements Filter {

    private final WebAnswers answers;

    /** Answers so. */
    public RefusalFilter(WebAnswers answers) {
        this.answers = answers;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        try {
            chain.doFilter(request, response);
        } catch (ServletException | RuntimeException failure) {
            Optional<RateLimitExceededException> refusal = Refusals.in(failure);
            if (refusal.isEmpty()
                    || !(request instanceof HttpServletRequest http)
                    || !(response instanceof HttpServletResponse answer)
                    || !ServletAnswer.send(
                            answers.refused(refusal.get().ruling(), http.getHeader("Accept-Language")), answer)) {
                throw failure;
            }
        }
    }
}
