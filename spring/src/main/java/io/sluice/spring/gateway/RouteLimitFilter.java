package io.sluice.spring.gateway;

import io.sluice.http.request.CallerAddress;
import io.sluice.spring.CurrentRequest;
import io.sluice.spring.internal.ChargedRules;
import io.sluice.spring.web.reactive.ConnectionThread;
import io.sluice.spring.web.reactive.WatchedExchange;
import java.security.Principal;
import java.util.Optional;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Runs before all filters of all routes. It keeps the request as it arrived, holds the concurrency permits of the exchange until
 * it ends, and, if configured, applies the rules in force.
 */
public final class RouteLimitFilter implements GlobalFilter, Ordered {

    /** The key in a route's metadata for the service name that rules see instead of the route's id. */
    static final String SERVICE = "sluice-service";

    /** The status to report after a failure. It is not known here, because the exception handlers of the application choose it. */
    private static final int UNKNOWN_STATUS = 500;

    private final RouteDecisions decisions;
    private final RouteAnswer answer;
    private final CallerAddress callers;
    private final boolean applyRules;

    /** @param applyRules whether the rules in force apply to routes */
    public RouteLimitFilter(RouteDecisions decisions, RouteAnswer answer, CallerAddress callers, boolean applyRules) {
        this.decisions = decisions;
        this.answer = answer;
        this.callers = callers;
        this.applyRules = applyRules;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE + 10;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
        return Mono.deferContextual(context -> context.<CurrentRequest>getOrEmpty(CurrentRequest.class)
                .map(known -> inScope(known, exchange, chain))
                .orElseGet(() -> exchange.getPrincipal()
                        .map(Optional::<Principal>of)
                        .defaultIfEmpty(Optional.empty())
                        .flatMap(caller -> inScope(
                                new RouteRequest(exchange.getRequest(), callers, caller.orElse(null)),
                                exchange,
                                chain))));
    }

    private Mono<Void> inScope(CurrentRequest request, ServerWebExchange exchange, GatewayFilterChain chain) {
        RouteScope scope = new RouteScope(
                request,
                service(exchange),
                ChargedRules.of(exchange.getAttributes()),
                decisions.newPermits(),
                decisions.newSettlement(),
                ConnectionThread.of(exchange.getRequest()));
        scope.attachTo(exchange);
        Mono<Void> limited = decisions.settles()
                ? WatchedExchange.settle(
                        exchange,
                        scope.settlement(),
                        watched -> limited(scope, watched, chain),
                        failure -> UNKNOWN_STATUS)
                : limited(scope, exchange, chain)
                        .doFinally(end -> scope.settlement().abandon());
        return limited.contextWrite(context -> context.put(RouteScope.class, scope))
                .doFinally(end -> scope.permits().close());
    }

    private Mono<Void> limited(RouteScope scope, ServerWebExchange exchange, GatewayFilterChain chain) {
        return applyRules
                ? decisions
                        .byRulesInForce(scope)
                        .map(Optional::of)
                        .defaultIfEmpty(Optional.empty())
                        .flatMap(ruling -> ruling.isEmpty()
                                ? chain.filter(exchange)
                                : answer.passOrRefuse(ruling.get(), exchange, chain))
                : chain.filter(exchange);
    }

    private static String service(ServerWebExchange exchange) {
        Route route = exchange.getRequiredAttribute(ServerWebExchangeUtils.GATEWAY_ROUTE_ATTR);
        return route.getMetadata().get(SERVICE) instanceof String service ? service : route.getId();
    }
}
