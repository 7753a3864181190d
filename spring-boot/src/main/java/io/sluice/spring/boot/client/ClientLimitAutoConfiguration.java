package io.sluice.spring.boot.client;

import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.spring.boot.named.NamedRuleConfiguration;
import io.sluice.spring.client.CallLimits;
import io.sluice.spring.client.HostLimits;
import io.sluice.spring.client.ReactiveCallLimits;
import io.sluice.spring.named.NamedRules;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;

/**
 * Limits outbound calls. The limits in {@code sluice.outbound} apply to every client that is built with one of Spring Boot's
 * builders. {@link CallLimits} and {@link ReactiveCallLimits} are available for limits in code.
 */
@AutoConfiguration(afterName = "io.sluice.spring.boot.SluiceAutoConfiguration")
@ConditionalOnClass({ClientHttpRequestInterceptor.class, Evaluator.class})
@ConditionalOnBean(Evaluator.class)
@ConditionalOnProperty(name = "sluice.enabled", matchIfMissing = true)
@EnableConfigurationProperties(ClientLimitProperties.class)
@Import(NamedRuleConfiguration.class)
public final class ClientLimitAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    CallLimits sluiceCallLimits(Evaluator evaluator, Clock clock, NamedRules rules) {
        return new CallLimits(evaluator, clock, rules);
    }

    @Bean
    @ConditionalOnMissingBean
    HostLimits sluiceHostLimits(ClientLimitProperties properties) {
        return ConfiguredCalls.read(properties.outbound());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ExchangeFilterFunction.class)
    static final class Filters {

        @Bean
        @ConditionalOnMissingBean
        ReactiveCallLimits sluiceReactiveCallLimits(CallLimits limits) {
            return new ReactiveCallLimits(limits);
        }
    }
}
