package io.sluice.spring.gateway;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.Rule;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * The filter {@code Sluice}: limits a route by a rule in force.
 *
 * <pre>{@code
 * filters:
 *   - Sluice=orders
 *   - name: Sluice
 *     args: { rule: per-customer, key: header.x-customer, permits: 2 }
 * }</pre>
 *
 * <p>A refused request is answered with status 429 (403 if the rule denies), and the same headers and body as in the web filters.
 * Concurrency permits are held until the exchange ends, in any way. The rule is asked each time the exchange passes the filter. Two filters
 * with different keys each ask it, and behind a retry filter each attempt asks it.
 */
public final class SluiceGatewayFilterFactory extends AbstractGatewayFilterFactory<SluiceGatewayFilterFactory.Config> {

    private final RouteDecisions decisions;
    private final RouteAnswer answer;

    /** The ids of the rules of all filters that were made. */
    private final Set<String> rules = ConcurrentHashMap.newKeySet();

    public SluiceGatewayFilterFactory(RouteDecisions decisions, RouteAnswer answer) {
        super(Config.class);
        this.decisions = decisions;
        this.answer = answer;
    }

    @Override
    public List<String> shortcutFieldOrder() {
        return List.of("rule", "key", "permits");
    }

    @Override
    public GatewayFilter apply(Config config) {
        String id = config.rule;
        if (id == null || id.isBlank()) {
            throw new IllegalArgumentException("rule: none (expected: the id of a rule, for example Sluice=orders)");
        }
        if (config.permits < 1 || config.permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException(
                    "permits: " + config.permits + " (expected: 1.." + Limit.MAX_PERMITS + ")");
        }
        if (config.key != null && config.keyResolver != null) {
            throw new IllegalArgumentException("key: together with key-resolver (expected: only one of the two)");
        }
        rules.add(id);
        return (exchange, chain) -> filter(id, config, exchange, chain);
    }

    Set<String> rules() {
        return Set.copyOf(rules);
    }

    private Mono<Void> filter(String id, Config config, ServerWebExchange exchange, GatewayFilterChain chain) {
        RouteScope scope = RouteScope.of(exchange);
        Rule rule = decisions.inForce(id, scope.service());
        if (rule == null) {
            return chain.filter(exchange);
        }
        return key(config, scope, exchange)
                .flatMap(key -> decisions.byRule(rule, scope, scope.service(), key.orElse(null), config.permits))
                .flatMap(ruling -> answer.passOrRefuse(ruling, exchange, chain));
    }

    private static Mono<Optional<String>> key(Config config, RouteScope scope, ServerWebExchange exchange) {
        KeyResolver resolver = config.keyResolver;
        if (resolver != null) {
            return resolver.resolve(exchange).map(Optional::of).defaultIfEmpty(Optional.empty());
        }
        String attribute = config.key;
        return Mono.fromSupplier(() -> attribute == null
                ? Optional.empty()
                : Optional.ofNullable(scope.request().attribute(attribute)));
    }

    /** The arguments of the filter. */
    public static final class Config {

        private @Nullable String rule;
        private @Nullable String key;
        private @Nullable KeyResolver keyResolver;
        private long permits = 1;

        /** Sets the id of a rule in force. */
        public Config setRule(@Nullable String rule) {
            this.rule = rule;
            return this;
        }

        public @Nullable String getRule() {
            return rule;
        }

        /**
         * Sets the request attribute, such as {@code header.x-customer}, whose value becomes the rule's attribute {@code key}.
         */
        public Config setKey(@Nullable String key) {
            this.key = key;
            return this;
        }

        public @Nullable String getKey() {
            return key;
        }

        /** Sets the resolver for the rule's attribute {@code key}. */
        public Config setKeyResolver(@Nullable KeyResolver keyResolver) {
            this.keyResolver = keyResolver;
            return this;
        }

        public @Nullable KeyResolver getKeyResolver() {
            return keyResolver;
        }

        /** Sets the number of permits that a request takes from each limit. */
        public Config setPermits(long permits) {
            this.permits = permits;
            return this;
        }

        public long getPermits() {
            return permits;
        }
    }
}
