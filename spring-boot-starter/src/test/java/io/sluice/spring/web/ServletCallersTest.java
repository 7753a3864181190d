package io.sluice.spring.web;

import io.sluice.spring.internal.NamedAutoConfigurations;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;

/** Runs {@link VerifiedCallers} on Tomcat. */
final class ServletCallersTest extends VerifiedCallers {

    @Override
    RunningApp.Starting app() {
        return new RunningApp.Starting(false, ServletApp.class, Security.class).reused(context -> {});
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSecurity
    @NamedAutoConfigurations({
        "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
        "org.springframework.boot.autoconfigure.security.servlet.SecurityFilterAutoConfiguration"
    })
    static class Security {

        @Bean
        SecurityFilterChain tokens(HttpSecurity http) {
            return http.authorizeHttpRequests(all -> all.anyRequest().permitAll())
                    .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
                    .build();
        }

        @Bean
        JwtDecoder decoder() {
            return NimbusJwtDecoder.withSecretKey(VerifiedCallers.KEY).build();
        }
    }
}
