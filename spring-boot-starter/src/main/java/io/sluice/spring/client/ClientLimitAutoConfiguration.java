package io.sluice.spring.client;

import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Evaluator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;

/**
 * Limits outbound calls. The limits in {@code sluice.client-limits} apply to every client that is built with one of Spring Boot's
 * builders. {@link CallLimits} and {@link ReactiveCallLimits} are available for limits in code.
 */
@AutoConfiguration(afterName = "io.sluice.spring.boot.SluiceAutoConfiguration")
@ConditionalOnClass({ClientHttpRequestInterceptor.class, Evaluator.class})
@ConditionalOnBean(Evaluator.class)
@ConditionalOnProperty(name = "sluice.enabled", matchIfMissing = true)
@EnableConfigurationProperties(ClientLimitProperties.class)
public final class ClientLimitAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    CallLimits sluiceCallLimits(Evaluator evaluator, Clock clock) {
        return new CallLimits(evaluator, clock);
    }

    @Bean
    @ConditionalOnMissingBean
    ConfiguredCalls sluiceConfiguredCalls(ClientLimitProperties properties) {
        return ConfiguredCalls.of(properties.clientLimits());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RestClientCustomizer.class)
    static final class Blocking {

        @Bean
        @ConditionalOnMissingBean(name = "sluiceRestClientCustomizer")
        RestClientCustomizer sluiceRestClientCustomizer(CallLimits limits, ConfiguredCalls calls) {
            ClientHttpRequestInterceptor interceptor = new BlockingCallLimit(limits.gate(calls::of));
            return builder -> builder.requestInterceptor(interceptor);
        }

        @Bean
        @ConditionalOnMissingBean(name = "sluiceRestTemplateCustomizer")
        RestTemplateCustomizer sluiceRestTemplateCustomizer(CallLimits limits, ConfiguredCalls calls) {
            ClientHttpRequestInterceptor interceptor = new BlockingCallLimit(limits.gate(calls::of));
            return template -> template.getInterceptors().add(interceptor);
        }
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

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({WebClientCustomizer.class, ExchangeFilterFunction.class})
    static final class Reactive {

        @Bean
        @ConditionalOnMissingBean(name = "sluiceWebClientCustomizer")
        WebClientCustomizer sluiceWebClientCustomizer(CallLimits limits, ConfiguredCalls calls) {
            ExchangeFilterFunction filter = new ReactiveCallLimit(limits.gate(calls::of));
            return builder -> builder.filter(filter);
        }
    }
}
