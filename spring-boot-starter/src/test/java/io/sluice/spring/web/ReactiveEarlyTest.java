package io.sluice.spring.web;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Runs {@link EarlyLimits} on Reactor Netty. */
final class ReactiveEarlyTest extends EarlyLimits {

    @Override
    RunningApp.Starting starting() {
        return new RunningApp.Starting(true, ReactiveApp.class, Security.class)
                .with("logging.level.org.springframework.boot=off");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebFluxSecurity
    @Import(Responses.class)
    static class Security {

        @Bean
        SecurityWebFilterChain passwords(ServerHttpSecurity http) {
            return http.authorizeExchange(all -> all.anyExchange().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        PasswordEncoder encoder() {
            return ENCODER;
        }

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(
                    User.withUsername(USER).password(ENCODER.encode(PASSWORD)).build());
        }
    }

    @RestController
    static class Responses {

        @GetMapping("/{rule}/missing")
        Mono<String> missing() {
            return Mono.error(new ResponseStatusException(HttpStatus.NOT_FOUND));
        }

        @GetMapping("/{rule}/written")
        ResponseEntity<String> written() {
            return ResponseEntity.status(HttpStatus.NOT_FOUND).body("nothing");
        }

        @GetMapping("/{rule}/streamed")
        ResponseEntity<Flux<String>> streamed() {
            return ResponseEntity.status(HttpStatus.NOT_FOUND).body(Flux.just("noth", "ing"));
        }

        @GetMapping("/{rule}/later")
        Mono<ResponseEntity<String>> later() {
            return Mono.fromSupplier(this::written).subscribeOn(Schedulers.parallel());
        }

        @GetMapping("/{rule}/broken")
        String broken() {
            throw new IllegalStateException("broken for the test");
        }
    }
}
