package io.sluice.spring.web;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.oauth2.jwt.NimbusReactiveJwtDecoder;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** On Reactor Netty. */
final class ReactiveCallersTest extends VerifiedCallers {

    @Override
    RunningApp.Starting app() {
        return new RunningApp.Starting(true, ReactiveApp.class, Security.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebFluxSecurity
    static class Security {

        @Bean
        SecurityWebFilterChain tokens(ServerHttpSecurity http) {
            return http.authorizeExchange(all -> all.anyExchange().permitAll())
                    .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
                    .build();
        }

        @Bean
        ReactiveJwtDecoder decoder() {
            return NimbusReactiveJwtDecoder.withSecretKey(VerifiedCallers.KEY).build();
        }
    }
}
