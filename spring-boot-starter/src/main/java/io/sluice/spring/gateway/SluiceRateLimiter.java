package io.sluice.spring.gateway;

import io.sluice.core.spi.FailurePolicy;
import io.sluice.http.answer.AnswerHeaders;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Rule;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.event.FilterArgsEvent;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.route.RouteDefinitionRouteLocator;
import org.springframework.cloud.gateway.support.AbstractStatefulConfigurable;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.ApplicationListener;
import reactor.core.publisher.Mono;

/**
 * The limiter that routes of Spring Cloud Gateway switch to by name. Safe for use by many threads; never blocks.
 *
 * <pre>{@code
 * filters:
 *   - name: RequestRateLimiter
 *     args:
 *       rate-limiter: "#{@sluiceRateLimiter}"
 *       key-resolver: "#{@userKeyResolver}"
 *       redis-rate-limiter.replenishRate: 10
 *       redis-rate-limiter.burstCapacity: 20
 * }</pre>
 *
 * <p>The three numbers mean what they mean to its Redis limiter: a token bucket for each key of a route, that
 * refills by {@code replenishRate} a second, holds {@code burstCapacity}, and of which a request takes {@code requestedTokens}.
 * Refill is continuous, not in whole seconds. {@code sluice.rule} names a rule in force instead, which finds the resolved
 * key in its attribute {@code key}.
 *
 * <p>One configuration for a route, as with every limiter of the gateway: two such filters on one route share it.
 */
public final class SluiceRateLimiter extends AbstractStatefulConfigurable<SluiceRateLimiter.Config>
        implements RateLimiter<SluiceRateLimiter.Config>, ApplicationListener<FilterArgsEvent> {

    private static final List<String> PREFIXES = List.of("redis-rate-limiter", "sluice");

    private final RouteDecisions decisions;
    private final ConfigurationService configurations;
    private final FailurePolicy onFailure;
    private final boolean xRateLimit;

    /** What was made of the configuration of a route; it is made anew when the route has another. */
    private final Map<String, Ready> ready = new ConcurrentHashMap<>();

    SluiceRateLimiter(
            RouteDecisions decisions,
            ConfigurationService configurations,
            FailurePolicy onFailure,
            boolean xRateLimit) {
        super(Config.class);
        this.decisions = decisions;
        this.configurations = configurations;
        this.onFailure = onFailure;
        this.xRateLimit = xRateLimit;
    }

    @Override
    public void onApplicationEvent(FilterArgsEvent event) {
        Map<String, Object> args = event.getArgs();
        Config config = newConfig();
        boolean any = false;
        for (String prefix : PREFIXES) {
            if (args.keySet().stream().anyMatch(name -> name.startsWith(prefix + "."))) {
                configurations
                        .with(config)
                        .name(prefix)
                        .normalizedProperties(args)
                        .bind();
                any = true;
            }
        }
        if (any) {
            getConfig().put(event.getRouteId(), config);
        }
    }

    @Override
    public Mono<Response> isAllowed(String routeId, String id) {
        return Mono.deferContextual(context -> {
            Config config = config(routeId);
            RouteScope scope = RouteScope.of(context);
            Rule rule = rule(routeId, config);
            if (rule == null) {
                return Mono.just(new Response(true, Map.of()));
            }
            String service = scope == null ? routeId : scope.service();
            return decisions
                    .byRule(rule, scope, service, id, config.requestedTokens)
                    .map(ruling -> new Response(ruling.allowed(), headers(ruling, config)));
        });
    }

    private Config config(String routeId) {
        Config own = getConfig().get(routeId);
        Config config = own == null ? getConfig().get(RouteDefinitionRouteLocator.DEFAULT_FILTERS) : own;
        if (config == null) {
            throw new IllegalArgumentException("route " + routeId
                    + ": no limit (expected: redis-rate-limiter.replenishRate and burstCapacity, or sluice.rule)");
        }
        return config;
    }

    private @Nullable Rule rule(String routeId, Config config) {
        String named = config.rule;
        if (named != null) {
            return decisions.inForce(named, routeId);
        }
        Ready made = ready.get(routeId);
        if (made == null || made.config != config) {
            made = new Ready(config, config.toRule(routeId, onFailure));
            ready.put(routeId, made);
        }
        return made.rule;
    }

    private Map<String, String> headers(Ruling.Settled ruling, Config config) {
        Map<String, String> headers = new HashMap<>(AnswerHeaders.of(ruling));
        Ruling.Reported reported = ruling.reported();
        if (xRateLimit && reported != null) {
            headers.put("X-RateLimit-Remaining", Long.toString(Math.max(0, reported.remaining())));
        }
        if (xRateLimit && config.rule == null) {
            headers.put("X-RateLimit-Replenish-Rate", config.replenishRate.toPlainString());
            headers.put("X-RateLimit-Burst-Capacity", Long.toString(config.burstCapacity));
            headers.put("X-RateLimit-Requested-Tokens", Long.toString(config.requestedTokens));
        }
        return headers;
    }

    private record Ready(Config config, Rule rule) {}

    /** What a route says; either the numbers or a rule. */
    public static final class Config {

        private BigDecimal replenishRate = BigDecimal.ZERO;
        private long burstCapacity = 1;
        private long requestedTokens = 1;
        private @Nullable String rule;
        private @Nullable FailurePolicy onFailure;

        /** What is refilled each second; may have digits behind the point. */
        public Config setReplenishRate(BigDecimal replenishRate) {
            this.replenishRate = Objects.requireNonNull(replenishRate, "replenishRate");
            return this;
        }

        public BigDecimal getReplenishRate() {
            return replenishRate;
        }

        /** The most that the bucket holds; 0 refuses always. */
        public Config setBurstCapacity(long burstCapacity) {
            this.burstCapacity = burstCapacity;
            return this;
        }

        public long getBurstCapacity() {
            return burstCapacity;
        }

        /** What one request takes. */
        public Config setRequestedTokens(long requestedTokens) {
            this.requestedTokens = requestedTokens;
            return this;
        }

        public long getRequestedTokens() {
            return requestedTokens;
        }

        /** The id of a rule in force, which is asked instead of the numbers. */
        public Config setRule(@Nullable String rule) {
            this.rule = rule;
            return this;
        }

        public @Nullable String getRule() {
            return rule;
        }

        /** What decides about the numbers while Redis does not; rules say it themselves. */
        public Config setOnFailure(@Nullable FailurePolicy onFailure) {
            this.onFailure = onFailure;
            return this;
        }

        public @Nullable FailurePolicy getOnFailure() {
            return onFailure;
        }

        private Rule toRule(String routeId, FailurePolicy otherwise) {
            return RouteRule.of(routeId, replenishRate, burstCapacity, onFailure == null ? otherwise : onFailure);
        }
    }
}
