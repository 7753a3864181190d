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
 * A limiter for Spring Cloud Gateway that routes select by bean name. Thread-safe; never blocks.
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
 * <p>The three numbers have the same meaning as for the gateway's Redis limiter. Each key of a route has a token bucket, which refills by
 * {@code replenishRate} per second and holds {@code burstCapacity}; a request takes {@code requestedTokens}. Unlike the Redis limiter, the
 * refill is continuous instead of once per second. Alternatively {@code sluice.rule} names a rule in force, which sees the resolved key as
 * its attribute {@code key}.
 *
 * <p>As with every limiter of the gateway, a route has one configuration: two such filters on one route share this configuration.
 */
public final class SluiceRateLimiter extends AbstractStatefulConfigurable<SluiceRateLimiter.Config>
        implements RateLimiter<SluiceRateLimiter.Config>, ApplicationListener<FilterArgsEvent> {

    /** The argument of a route that names a rule. */
    static final String RULE = "sluice.rule";

    private static final List<String> PREFIXES = List.of("redis-rate-limiter", "sluice");

    private final RouteDecisions decisions;
    private final ConfigurationService configurations;
    private final FailurePolicy onFailure;
    private final boolean xRateLimit;

    /** The rule for each route's configuration. It is built again when the configuration changes. */
    private final Map<String, Ready> ready = new ConcurrentHashMap<>();

    public SluiceRateLimiter(
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

    /** The arguments of a route: either the numbers or a rule. */
    public static final class Config {

        private BigDecimal replenishRate = BigDecimal.ZERO;
        private long burstCapacity = 1;
        private long requestedTokens = 1;
        private @Nullable String rule;
        private @Nullable FailurePolicy onFailure;

        /** Sets the number of tokens that are refilled per second. Fractions are allowed. */
        public Config setReplenishRate(BigDecimal replenishRate) {
            this.replenishRate = Objects.requireNonNull(replenishRate, "replenishRate");
            return this;
        }

        public BigDecimal getReplenishRate() {
            return replenishRate;
        }

        /** Sets the maximum number of tokens in the bucket. With 0 every request is refused. */
        public Config setBurstCapacity(long burstCapacity) {
            this.burstCapacity = burstCapacity;
            return this;
        }

        public long getBurstCapacity() {
            return burstCapacity;
        }

        /** Sets the number of tokens that a request takes. */
        public Config setRequestedTokens(long requestedTokens) {
            this.requestedTokens = requestedTokens;
            return this;
        }

        public long getRequestedTokens() {
            return requestedTokens;
        }

        /** Sets the id of a rule in force, which is used instead of the numbers. */
        public Config setRule(@Nullable String rule) {
            this.rule = rule;
            return this;
        }

        public @Nullable String getRule() {
            return rule;
        }

        /** Sets the policy for the limit by these numbers while Redis is unavailable. Rules have their own {@code on_failure}. */
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
