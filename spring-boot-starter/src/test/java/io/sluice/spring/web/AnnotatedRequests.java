package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.evaluate.Evaluator;
import io.sluice.spring.RateLimited;
import io.sluice.spring.boot.method.MethodLimitAutoConfiguration;
import io.sluice.spring.method.plan.MethodPlans;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Tests of what callers see of limits on methods, for every server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AnnotatedRequests {

    private static final String RULES = """
            rules:
              - { id: everything, limits: [{ by: ip, limit: 1000, window: 1h }] }
            """;

    private RunningApp app;

    abstract RunningApp.Starting starting();

    @BeforeAll
    void start() {
        app = starting().with("sluice.x-rate-limit-headers=true").rules(RULES);
    }

    @AfterAll
    void stop() {
        app.close();
    }

    RunningApp app() {
        return app;
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(MethodLimitAutoConfiguration.class)
    @Import({Methods.class, Stock.class})
    static class Annotated {}

    @RestController
    static class Methods {

        private final Stock stock;

        Methods(Stock stock) {
            this.stock = stock;
        }

        @GetMapping("/unnamed")
        @RateLimited(limit = "1", window = "1h")
        public Mono<String> unnamed() {
            return Mono.just("unnamed");
        }

        @GetMapping("/named")
        @RateLimited(id = "greetings", limit = "1", window = "1h")
        public Mono<String> named() {
            return Mono.just("named");
        }

        @GetMapping("/deep")
        @RateLimited(id = "deep", limit = "10", window = "1h")
        public Mono<String> deep() {
            return stock.take().then(stock.take());
        }

        @GetMapping("/elsewhere")
        public Mono<String> elsewhere() {
            return stock.take().subscribeOn(Schedulers.parallel());
        }
    }

    static class Stock {

        @RateLimited(id = "stock", limit = "100", window = "1h")
        public Mono<String> take() {
            return Mono.just("taken");
        }
    }

    static String header(HttpResponse<String> response, String name) {
        List<String> values = response.headers().allValues(name);
        assertThat(values).as(name + " of " + response.statusCode()).hasSize(1);
        return values.get(0);
    }

    @Test
    void callersDoNotLearnTheNamesOfMethods() throws Exception {
        HttpResponse<String> allowed = app.get("/unnamed");
        HttpResponse<String> refused = app.get("/unnamed");

        assertThat(allowed.body()).isEqualTo("unnamed");
        assertThat(header(allowed, "RateLimit-Policy")).containsPattern("\"method-[0-9a-f]{8}\\.0\";q=1;w=3600");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.body())
                .containsPattern("\"rule\":\"method-[0-9a-f]{8}\"")
                .containsPattern("limit method-[0-9a-f]{8}\\.0 is used up");
        for (HttpResponse<String> response : List.of(allowed, refused)) {
            assertThat(response.body() + response.headers().map())
                    .doesNotContain("Methods", "sluice", AnnotatedRequests.class.getSimpleName());
        }
        assertThat(app.bean(Evaluator.class).rules().rules()).hasSize(1);
        assertThat(app.bean(MethodPlans.class).shown("everything")).isEqualTo("everything");
    }

    @Test
    void anIdOfTheDeveloperIsShown() throws Exception {
        assertThat(header(app.get("/named"), "RateLimit-Policy")).endsWith(", \"greetings.0\";q=1;w=3600");
        HttpResponse<String> refused = app.get("/named");
        assertThat(refused.body()).contains("\"rule\":\"greetings\"", "limit greetings.0 is used up");
        assertThat(header(refused, "RateLimit-Policy")).isEqualTo("\"greetings.0\";q=1;w=3600");
        assertThat(header(refused, "RateLimit")).startsWith("\"greetings.0\";r=0;");
        assertThat(header(refused, "X-RateLimit-Remaining")).isEqualTo("0");
    }

    @Test
    void allowedResponsesReportTheLimitsOfFiltersAndOfAllMethods() throws Exception {
        HttpResponse<String> response = app.get("/deep");

        assertThat(response.body()).isEqualTo("taken");
        assertThat(header(response, "RateLimit-Policy"))
                .isEqualTo("\"everything.0\";q=1000;w=3600, \"deep.0\";q=10;w=3600, \"stock.0\";q=100;w=3600");
        assertThat(header(response, "RateLimit"))
                .matches("\"everything.0\";r=9\\d\\d;t=\\d+, \"deep.0\";r=9;t=\\d+, \"stock.0\";r=9\\d;t=\\d+");
        assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo("9");
        assertThat(header(response, "X-RateLimit-Limit")).isEqualTo("10");
    }
}
