package io.sluice.spring.gateway;

import io.sluice.spring.CurrentRequest;
import io.sluice.spring.internal.PermitScope;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.ContextView;

/**
 * What one exchange carries from the first filter of its route to the last: the request as it came, the rules that already
 * ruled on it, and the permits it holds.
 *
 * @param service what rules call the route
 * @param charged the ids of rules that are not to be charged again by their scope; those that a filter names decide whenever it is asked
 * @param thread where the exchange goes on after something was waited for
 */
record RouteScope(CurrentRequest request, String service, Set<String> charged, PermitScope permits, Scheduler thread) {

    private static final String ATTRIBUTE = RouteScope.class.getName();

    void attachTo(ServerWebExchange exchange) {
        exchange.getAttributes().put(ATTRIBUTE, this);
    }

    static RouteScope of(ServerWebExchange exchange) {
        return exchange.getRequiredAttribute(ATTRIBUTE);
    }

    /** Null where the limiter is asked by somebody else than a filter of a route. */
    static @Nullable RouteScope of(ContextView context) {
        return context.<RouteScope>getOrEmpty(RouteScope.class).orElse(null);
    }
}
