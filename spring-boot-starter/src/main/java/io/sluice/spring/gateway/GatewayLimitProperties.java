package io.sluice.spring.gateway;

import io.sluice.core.spi.FailurePolicy;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits on the routes of Spring Cloud Gateway.
 *
 * @param enabled Whether routes have the limiter sluiceRateLimiter and the filter Sluice.
 * @param applyRules Whether every route is limited by the rules in force, its id (or sluice-service of its metadata) being their service.
 * @param onFailure What decides about limits of redis-rate-limiter.* while the shared store does not: local, open or closed.
 */
@ConfigurationProperties("sluice.gateway")
public record GatewayLimitProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("false") boolean applyRules,
        @DefaultValue("local") FailurePolicy onFailure) {}
