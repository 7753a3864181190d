package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spring.internal.NamedAutoConfigurations;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Runs {@link EarlyLimits} on Tomcat. */
final class ServletEarlyTest extends EarlyLimits {

    @Override
    RunningApp.Starting starting() {
        return new RunningApp.Starting(false, ServletApp.class, Security.class)
                .with("logging.level.org.apache.catalina=off");
    }

    /** The head is sent when the buffer is full. The caller may then ask again, while the response goes on. */
    @Test
    void aResponseOfEmptyLinesIsCountedWhenItsHeadIsSent() throws Exception {
        List<HttpResponse<InputStream>> open = new ArrayList<>();
        try {
            for (int i = 0; i < 5; i++) {
                HttpRequest request = running()
                        .request("/guessing/lines")
                        .header("X-Forwarded-For", MALLORY)
                        .header("Authorization", RIGHT)
                        .build();
                open.add(running().client().send(request, HttpResponse.BodyHandlers.ofInputStream()));
            }
        } finally {
            running().bean(Responses.class).end.release(open.size());
        }
        assertThat(open).extracting(HttpResponse::statusCode).containsExactly(404, 404, 404, 429, 429);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSecurity
    @NamedAutoConfigurations({
        "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
        "org.springframework.boot.autoconfigure.security.servlet.SecurityFilterAutoConfiguration"
    })
    @Import(Responses.class)
    static class Security {

        @Bean
        SecurityFilterChain passwords(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(all -> all.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        PasswordEncoder encoder() {
            return ENCODER;
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername(USER).password(ENCODER.encode(PASSWORD)).build());
        }
    }

    @RestController
    static class Responses {

        final Semaphore end = new Semaphore(0);

        @GetMapping("/{rule}/missing")
        void missing(HttpServletResponse response) throws IOException {
            response.sendError(404);
        }

        @GetMapping("/{rule}/written")
        ResponseEntity<String> written() {
            return ResponseEntity.status(HttpStatus.NOT_FOUND).body("nothing");
        }

        @GetMapping("/{rule}/streamed")
        void streamed(HttpServletResponse response) throws IOException {
            response.setStatus(404);
            response.getWriter().print("n".repeat(100_000));
            response.getWriter().flush();
        }

        /** Writes ends of lines until the head is sent, without a flush, and ends when the test allows it. */
        @GetMapping("/{rule}/lines")
        void lines(HttpServletResponse response) throws Exception {
            response.setStatus(404);
            for (int i = 0; i < 100_000; i++) {
                response.getWriter().println();
            }
            end.acquire();
        }

        @GetMapping("/{rule}/later")
        Callable<ResponseEntity<String>> later() {
            return this::written;
        }

        @GetMapping("/{rule}/broken")
        String broken() {
            throw new IllegalStateException("broken for the test");
        }
    }
}
