package io.sluice.spring.boot3;

import io.sluice.spring.boot.client.ClientLimitAutoConfiguration;
import io.sluice.spring.client.CallLimits;
import io.sluice.spring.client.HostLimits;
import io.sluice.spring.client.ReactiveCallLimits;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.web.client.RestClientCustomizer;
import org.springframework.boot.web.client.RestTemplateCustomizer;
import org.springframework.boot.web.reactive.function.client.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;

/** Applies the configured limits of outbound calls to every client that is built with one of Spring Boot's builders. */
@AutoConfiguration(after = ClientLimitAutoConfiguration.class)
@ConditionalOnClass(ClientHttpRequestInterceptor.class)
@ConditionalOnBean({CallLimits.class, HostLimits.class})
public final class ClientCustomizerAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RestClientCustomizer.class)
    static final class Blocking {

        @Bean
        @ConditionalOnMissingBean(name = "sluiceRestClientCustomizer")
        RestClientCustomizer sluiceRestClientCustomizer(CallLimits limits, HostLimits hosts) {
            ClientHttpRequestInterceptor interceptor = limits.interceptor(hosts);
            return builder -> builder.requestInterceptor(interceptor);
        }

        @Bean
        @ConditionalOnMissingBean(name = "sluiceRestTemplateCustomizer")
        RestTemplateCustomizer sluiceRestTemplateCustomizer(CallLimits limits, HostLimits hosts) {
            ClientHttpRequestInterceptor interceptor = limits.interceptor(hosts);
            return template -> template.getInterceptors().add(interceptor);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({WebClientCustomizer.class, ExchangeFilterFunction.class})
    static final class Reactive {

        @Bean
        @ConditionalOnMissingBean(name = "sluiceWebClientCustomizer")
        WebClientCustomizer sluiceWebClientCustomizer(CallLimits limits, HostLimits hosts) {
            ExchangeFilterFunction filter = new ReactiveCallLimits(limits).filter(hosts);
            return builder -> builder.filter(filter);
        }
    }
}
