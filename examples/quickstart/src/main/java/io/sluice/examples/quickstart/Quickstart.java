package io.sluice.examples.quickstart;

import io.sluice.spring.RateLimited;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class Quickstart {

    public static void main(String[] args) {
        SpringApplication.run(Quickstart.class, args);
    }

    @GetMapping("/hello")
    @RateLimited(id = "hello", limit = "5", window = "1m", key = "#request.ip")
    String hello(@RequestParam(defaultValue = "world") String name) {
        return "Hello, " + name + "!";
    }
}
