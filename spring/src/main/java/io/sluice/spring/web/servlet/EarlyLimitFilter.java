package io.sluice.spring.web.servlet;

import io.sluice.core.time.Clock;
import io.sluice.spring.web.BodyMemory;
import io.sluice.spring.web.WebLimits;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;

/**
 * Applies the rules that act before callers are authenticated. It must run before the filters of Spring Security. {@link
 * LimitFilter} does not decide these rules again. Thread-safe.
 */
public final class EarlyLimitFilter implements Filter {

    private final LimitFilter filter;

    /**
     * Creates a filter.
     *
     * @param mostWaiting the maximum number of requests that wait for their time slot at the same time
     */
    public EarlyLimitFilter(WebLimits limits, Clock clock, BodyMemory memory, int mostWaiting) {
        this.filter = new LimitFilter(limits.early(), clock, memory, mostWaiting);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        filter.doFilter(request, response, chain);
    }
}
