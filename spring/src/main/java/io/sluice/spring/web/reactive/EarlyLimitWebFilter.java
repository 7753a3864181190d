package io.sluice.spring.web.reactive;

import io.sluice.core.time.Clock;
import io.sluice.spring.web.BodyMemory;
import io.sluice.spring.web.WebLimits;
import java.util.List;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Applies the rules that act before callers are authenticated. It must run before the filters of Spring Security. {@link
 * LimitWebFilter} does not decide these rules again. Thread-safe.
 */
public final class EarlyLimitWebFilter implements WebFilter, Ordered {

    private final LimitWebFilter filter;

    /** Creates a filter with the given order. */
    public EarlyLimitWebFilter(WebLimits limits, Clock clock, BodyMemory memory, int order) {
        this.filter = new LimitWebFilter(limits.early(), clock, memory, List.of(), order);
    }

    @Override
    public int getOrder() {
        return filter.getOrder();
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        return filter.filter(exchange, chain);
    }
}
