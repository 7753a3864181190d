package io.sluice.spring.named;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.spring.RateLimited;
import io.sluice.spring.boot.SluiceRules;
import io.sluice.spring.boot.named.MissingRuleFailureAnalyzer;
import io.sluice.spring.client.CallLimits;
import io.sluice.spring.client.LimitedCalls;
import io.sluice.spring.client.ReactiveCallLimits;
import io.sluice.spring.gateway.SluiceGatewayFilterFactory;
import io.sluice.spring.internal.Party;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** Annotations, routes and clients that name rules, in a real gateway: one policy for all of them. */
@Timeout(300)
class MissingRulesTest {

    private static final String ROUTES = "spring.cloud.gateway.server.webflux.";

    private final Party upstream = new Party();
    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<String, Object> values = new HashMap<>();
    private ConfigurableApplicationContext gateway;

    @AfterEach
    void close() {
        if (gateway != null) {
            gateway.close();
        }
        upstream.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.security.autoconfigure.web.reactive.ReactiveWebSecurityAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.ReactiveUserDetailsServiceAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.actuate.web.reactive.ReactiveManagementWebSecurityAutoConfiguration"
            })
    static class App {

        @Bean
        Orders orders() {
            return new Orders();
        }

        @Bean
        KeyResolver everybody() {
            return exchange -> Mono.just("everybody");
        }

        @Bean
        RestClient blocking(CallLimits limits) {
            return RestClient.builder()
                    .requestInterceptor(limits.interceptor(LimitedCalls.of("orders")))
                    .build();
        }

        @Bean
        WebClient reactive(ReactiveCallLimits limits) {
            return WebClient.builder()
                    .filter(limits.filter(LimitedCalls.of("orders")))
                    .build();
        }

        @Bean
        RouteLocator written(RouteLocatorBuilder builder, SluiceGatewayFilterFactory filters) {
            return builder.routes()
                    .route("written", route -> route.path("/written")
                            .filters(all -> all.filter(
                                    filters.apply(new SluiceGatewayFilterFactory.Config().setRule("orders"))))
                            .uri("http://127.0.0.1:1"))
                    .build();
        }
    }

    static class Orders {

        @RateLimited("orders")
        public String place() {
            return "placed";
        }
    }

    @Test
    void allMissingRulesAreNamedAtTheStart() {
        rule("ordres");
        route(0, "filter", "Sluice=orders");
        limiterRoute(1, "limiter", "orders");
        values.put(ROUTES + "default-filters[0]", "Sluice=others");
        values.put("sluice.outbound.payments.hosts", "pay.example");
        values.put("sluice.outbound.payments.rule", "payments");

        Throwable failure = catchThrowable(this::start);

        assertThat(failure).isInstanceOf(MissingRuleException.class);
        FailureAnalysis analysis = new MissingRuleFailureAnalyzer().analyze(failure);
        assertThat(analysis.getDescription().lines().map(String::strip))
                .contains(
                        "@RateLimited on " + Orders.class.getName() + ".place(): rule: orders (expected: ordres)",
                        "LimitedCalls.of(\"orders\"): rule: orders (expected: ordres)",
                        "calls to pay.example: rule: payments (expected: ordres)",
                        "default-filters: rule: others (expected: ordres)",
                        "filter Sluice: rule: orders (expected: ordres)",
                        "route filter: rule: orders (expected: ordres)",
                        "route limiter: rule: orders (expected: ordres)");
        assertThat(analysis.getAction()).contains("sluice.missing-rule");
    }

    @Test
    void aRuleThatDisappearsFailsTheCallsThatNameIt() {
        rule("orders");
        route(0, "filter", "Sluice=orders");
        limiterRoute(1, "limiter", "orders");
        start();
        assertPasses();

        rule("other");
        assertThat(gateway.getBean(SluiceRules.class).reload()).isEmpty();

        assertThat(status("/filter")).isEqualTo(500);
        assertThat(status("/limiter")).isEqualTo(500);
        assertThatThrownBy(() -> gateway.getBean(Orders.class).place())
                .isInstanceOf(MissingRuleException.class)
                .hasMessageContaining("rule: orders (expected: a rule in force");
        assertThatThrownBy(this::blockingCall).isInstanceOf(MissingRuleException.class);
        assertThatThrownBy(this::reactiveCall).isInstanceOf(MissingRuleException.class);

        rule("orders");
        assertThat(gateway.getBean(SluiceRules.class).reload()).isEmpty();
        assertPasses();
    }

    @ParameterizedTest
    @ValueSource(strings = {"warn", "allow"})
    void callsPassIfTheyMay(String policy) {
        rule("other");
        values.put("sluice.missing-rule", policy);
        route(0, "filter", "Sluice=orders");
        limiterRoute(1, "limiter", "orders");
        start();
        assertPasses();
    }

    @Test
    void rulesThatAreNotLoadedYetDoNotStopTheStart() {
        route(0, "filter", "Sluice=orders");
        start();
        assertThat(status("/filter")).isEqualTo(500);
        assertThatThrownBy(() -> gateway.getBean(Orders.class).place()).isInstanceOf(MissingRuleException.class);
    }

    private void assertPasses() {
        assertThat(status("/filter")).isEqualTo(200);
        assertThat(status("/limiter")).isEqualTo(200);
        assertThat(gateway.getBean(Orders.class).place()).isEqualTo("placed");
        assertThat(blockingCall()).isEqualTo("hello");
        assertThat(reactiveCall()).isEqualTo("hello");
    }

    private String blockingCall() {
        return gateway.getBean(RestClient.class)
                .get()
                .uri(upstream.uri())
                .retrieve()
                .body(String.class);
    }

    private String reactiveCall() {
        return gateway.getBean(WebClient.class)
                .get()
                .uri(upstream.uri())
                .retrieve()
                .bodyToMono(String.class)
                .block();
    }

    private int status(String path) {
        String port = gateway.getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void rule(String id) {
        values.put("sluice.rules[0].id", id);
        values.put("sluice.rules[0].for", "code");
        values.put("sluice.rules[0].limits[0].limit", "1000");
        values.put("sluice.rules[0].limits[0].window", "1h");
    }

    private void route(int index, String id, String filter) {
        String route = ROUTES + "routes[" + index + "].";
        values.put(route + "id", id);
        values.put(route + "uri", upstream.uri());
        values.put(route + "predicates[0]", "Path=/" + id);
        values.put(route + "filters[0]", filter);
    }

    private void limiterRoute(int index, String id, String rule) {
        route(index, id, "");
        String filter = ROUTES + "routes[" + index + "].filters[0]";
        values.remove(filter);
        values.put(filter + ".name", "RequestRateLimiter");
        values.put(filter + ".args.rate-limiter", "#{@sluiceRateLimiter}");
        values.put(filter + ".args.key-resolver", "#{@everybody}");
        values.put(filter + ".args.sluice.rule", rule);
    }

    private void start() {
        gateway = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.REACTIVE)
                .initializers(context ->
                        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("values", values)))
                .properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off")
                .run();
    }
}
