package io.sluice.spring.gateway;

import io.sluice.spring.CurrentRequest;
import io.sluice.spring.internal.PermitScope;
import io.sluice.spring.web.AnswerSettlement;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.ContextView;

/**
 * The state of one exchange from the first filter of its route to the last: the request as it arrived, the rules that have
 * already charged it, and the permits that it holds.
 *
 * @param service the name that rules see for the route
 * @param charged the ids of rules that must not charge the request again because their scope matches; a rule that a filter names
 *     decides every time
 * @param settlement receives the reservations of the request
 * @param thread the scheduler on which the exchange continues after it has waited
 */
record RouteScope(
        CurrentRequest request,
        String service,
        Set<String> charged,
        PermitScope permits,
        AnswerSettlement settlement,
        Scheduler thread) {

    private static final String ATTRIBUTE = RouteScope.class.getName();

    void attachTo(ServerWebExchange exchange) {
        exchange.getAttributes().put(ATTRIBUTE, this);
    }

    static RouteScope of(ServerWebExchange exchange) {
        return exchange.getRequiredAttribute(ATTRIBUTE);
    }

    /** Returns the scope; null if the limiter was not called by a filter of a route. */
    static @Nullable RouteScope of(ContextView context) {
        return context.<RouteScope>getOrEmpty(RouteScope.class).orElse(null);
    }
}
