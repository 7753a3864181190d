package io.sluice.spring.boot.starts;

import io.sluice.spring.RateLimited;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Greets each caller at most once an hour, on whichever of the two stacks is available. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class WebApp {

    @GetMapping("/hello")
    @RateLimited(limit = "1", window = "1h", key = "#request.ip")
    public String hello() {
        return "hello";
    }
}
