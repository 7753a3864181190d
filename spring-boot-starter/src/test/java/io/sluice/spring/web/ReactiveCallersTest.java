package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.oauth2.jwt.NimbusReactiveJwtDecoder;
import org.springframework.security.oauth2.jwt.ReactiveJwtDecoder;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** Runs {@link VerifiedCallers} on Reactor Netty. */
final class ReactiveCallersTest extends VerifiedCallers {

    @Override
    RunningApp.Starting app() {
        return new RunningApp.Starting(true, ReactiveApp.class, Security.class).reused(context -> {});
    }

    @Test
    void anonymousCallersHaveNoIdentity() throws Exception {
        try (RunningApp app = app().rules("rules: []")) {
            assertThat(app.get("/principal").body()).isEqualTo("nobody");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebFluxSecurity
    static class Security {

        @Bean
        SecurityWebFilterChain tokens(ServerHttpSecurity http) {
            return http.authorizeExchange(all -> all.anyExchange().permitAll())
                    .anonymous(Customizer.withDefaults())
                    .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
                    .build();
        }

        @Bean
        ReactiveJwtDecoder decoder() {
            return NimbusReactiveJwtDecoder.withSecretKey(VerifiedCallers.KEY).build();
        }
    }
}
