package io.sluice.spring.web.servlet;

import io.sluice.spring.web.Refusals;
import io.sluice.spring.web.WebAnswer;
import io.sluice.spring.web.WebAnswers;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;

/**
 * Answers refused calls that come from filters or from servlets outside of Spring MVC. It also sets the headers of calls that were
 * admitted while a request continued without a thread.
 */
public final class RefusalFilter implements Filter {

    private final WebAnswers answers;

    /** Creates a filter. */
    public RefusalFilter(WebAnswers answers) {
        this.answers = answers;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request.getDispatcherType() == DispatcherType.ASYNC && response instanceof HttpServletResponse answer) {
            ServletReports.writeLater(request, answer, answers);
        }
        try {
            chain.doFilter(request, response);
        } catch (ServletException | RuntimeException failure) {
            if (!(request instanceof HttpServletRequest asked) || !(response instanceof HttpServletResponse answer)) {
                throw failure;
            }
            Optional<WebAnswer> ours = Refusals.answer(failure, answers, asked.getHeader("Accept-Language"));
            if (ours.isEmpty() || !ServletAnswer.send(ours.get(), answer)) {
                throw failure;
            }
        }
    }
}
