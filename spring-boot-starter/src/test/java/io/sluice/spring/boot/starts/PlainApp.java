package io.sluice.spring.boot.starts;

import io.sluice.spring.RateLimited;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with only the starter. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class PlainApp {

    @Bean
    Greeter greeter() {
        return new Greeter();
    }

    /** Greets at most once an hour. */
    public static class Greeter {

        @RateLimited(limit = "1", window = "1h")
        public String greet() {
            return "hello";
        }
    }
}
