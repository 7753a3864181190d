package io.sluice.spring.web;

import io.sluice.spring.RateLimited;
import io.sluice.spring.boot.method.MethodLimitAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** A handler whose callers choose how many permits it takes. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration(MethodLimitAutoConfiguration.class)
@Import(TooManyPermits.Batches.class)
class TooManyPermits {

    @RestController
    static class Batches {

        @GetMapping("/batch")
        @RateLimited(rule = "batches", permits = "#size")
        public String batch(@RequestParam("size") long size) {
            return "batch of " + size;
        }
    }
}
