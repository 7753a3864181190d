package io.sluice.spring.boot.gateway;

import io.sluice.core.spi.FailurePolicy;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits on the routes of Spring Cloud Gateway.
 *
 * @param enabled Whether routes can use the limiter sluiceRateLimiter and the filter Sluice.
 * @param applyRules Whether the rules in force apply to every route. Rules see the id of the route, or sluice-service from its
 *     metadata, as the service.
 * @param onFailure Policy that decides about the limits of redis-rate-limiter.* while the shared store is unavailable: local,
 *     open or closed.
 */
@ConfigurationProperties("sluice.gateway")
public record GatewayLimitProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("false") boolean applyRules,
        @DefaultValue("local") FailurePolicy onFailure) {}
