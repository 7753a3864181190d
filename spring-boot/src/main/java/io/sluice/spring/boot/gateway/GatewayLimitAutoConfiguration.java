package io.sluice.spring.boot.gateway;

import io.sluice.core.time.Clock;
import io.sluice.http.answer.RefusalBody;
import io.sluice.http.request.CallerAddress;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.pattern.PathForm;
import io.sluice.spring.boot.named.NamedRuleConfiguration;
import io.sluice.spring.gateway.RouteAnswer;
import io.sluice.spring.gateway.RouteDecisions;
import io.sluice.spring.gateway.RouteLimitFilter;
import io.sluice.spring.gateway.RulesOfRoutes;
import io.sluice.spring.gateway.SluiceGatewayFilterFactory;
import io.sluice.spring.gateway.SluiceRateLimiter;
import io.sluice.spring.named.NamedRules;
import io.sluice.spring.web.WebAnswers;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;

/**
 * Limits for Spring Cloud Gateway. This configuration runs before the gateway's own, which looks for a limiter. If the
 * application defines no other limiter, routes that name no limiter use Sluice's limiter.
 */
@AutoConfiguration(
        afterName = "io.sluice.spring.boot.SluiceAutoConfiguration",
        beforeName = "org.springframework.cloud.gateway.config.GatewayAutoConfiguration")
@ConditionalOnClass({GlobalFilter.class, RateLimiter.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnBean(Evaluator.class)
@ConditionalOnProperty(
        name = {"sluice.enabled", "sluice.gateway.enabled", "spring.cloud.gateway.server.webflux.enabled"},
        matchIfMissing = true)
@EnableConfigurationProperties(GatewayLimitProperties.class)
@Import(NamedRuleConfiguration.class)
public final class GatewayLimitAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    RouteDecisions sluiceRouteDecisions(Evaluator evaluator, Clock clock, PathForm paths, NamedRules rules) {
        return new RouteDecisions(evaluator, clock, paths, rules);
    }

    @Bean
    @ConditionalOnMissingBean
    RouteAnswer sluiceRouteAnswer(
            RefusalBody refusals, @Value("${sluice.x-rate-limit-headers:false}") boolean xRateLimit, Clock clock) {
        return new RouteAnswer(new WebAnswers(refusals, xRateLimit, true, clock));
    }

    @Bean
    @ConditionalOnMissingBean
    RouteLimitFilter sluiceRouteLimitFilter(
            RouteDecisions decisions, RouteAnswer answer, CallerAddress callers, GatewayLimitProperties properties) {
        return new RouteLimitFilter(decisions, answer, callers, properties.applyRules());
    }

    @Bean
    @Fallback
    @ConditionalOnMissingBean
    SluiceRateLimiter sluiceRateLimiter(
            RouteDecisions decisions,
            ConfigurationService configurations,
            GatewayLimitProperties properties,
            @Value("${spring.cloud.gateway.server.webflux.redis-rate-limiter.include-headers:true}")
                    boolean xRateLimit) {
        return new SluiceRateLimiter(decisions, configurations, properties.onFailure(), xRateLimit);
    }

    @Bean
    @ConditionalOnMissingBean
    SluiceGatewayFilterFactory sluiceGatewayFilterFactory(RouteDecisions decisions, RouteAnswer answer) {
        return new SluiceGatewayFilterFactory(decisions, answer);
    }

    @Bean
    @ConditionalOnMissingBean
    RulesOfRoutes sluiceRulesOfRoutes(
            GatewayProperties properties, SluiceRateLimiter limiter, SluiceGatewayFilterFactory filters) {
        return new RulesOfRoutes(properties, limiter, filters);
    }
}
