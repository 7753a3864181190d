package io.sluice.spring.boot.starts;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** A gateway that treats all callers as one. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class GatewayApp {

    @Bean
    KeyResolver everybody() {
        return exchange -> Mono.just("everybody");
    }
}
