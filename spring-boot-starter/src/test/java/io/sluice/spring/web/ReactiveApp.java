package io.sluice.spring.web;

import io.sluice.rules.evaluate.Evaluator;
import io.sluice.spring.CurrentRequest;
import io.sluice.spring.internal.NamedAutoConfigurations;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.reactive.HiddenHttpMethodFilter;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** The application under test on Reactor Netty. */
@Configuration(proxyBeanMethods = false)
@NamedAutoConfigurations({
    "org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration",
    "org.springframework.boot.autoconfigure.context.ConfigurationPropertiesAutoConfiguration",
    "org.springframework.boot.reactor.netty.autoconfigure.NettyReactiveWebServerAutoConfiguration",
    "org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration",
    "org.springframework.boot.webflux.autoconfigure.ReactiveMultipartAutoConfiguration",
    "org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration",
    "org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration",
    "org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration",
    "io.sluice.spring.boot3.NettyServerAutoConfiguration",
    "org.springframework.boot.autoconfigure.web.reactive.ReactiveWebServerFactoryAutoConfiguration",
    "org.springframework.boot.autoconfigure.http.codec.CodecsAutoConfiguration",
    "org.springframework.boot.autoconfigure.web.reactive.ReactiveMultipartAutoConfiguration",
    "org.springframework.boot.autoconfigure.web.reactive.error.ErrorWebFluxAutoConfiguration",
    "org.springframework.boot.autoconfigure.web.reactive.WebFluxAutoConfiguration",
    "org.springframework.boot.autoconfigure.web.reactive.HttpHandlerAutoConfiguration",
    "io.sluice.spring.boot.web.ReactiveLimitAutoConfiguration"
})
@Import(ReactiveApp.Handlers.class)
class ReactiveApp {

    /** Completed by tests. */
    static final class Gate {
        final AtomicReference<CompletableFuture<String>> result = new AtomicReference<>(new CompletableFuture<>());
    }

    @Bean
    Gate gate() {
        return new Gate();
    }

    /** Threads of its own, because an application that stops would stop the threads that it shares with others. */
    @Bean
    ReactorResourceFactory threads() {
        ReactorResourceFactory threads = new ReactorResourceFactory();
        threads.setUseGlobalResources(false);
        return threads;
    }

    @Bean
    RouterFunction<ServerResponse> routes(Evaluator evaluator) {
        return RouterFunctions.route()
                .GET("/functional", request -> Mono.error(ServletApp.refusal(evaluator)))
                .build();
    }

    /** Spring Cloud Gateway on the class path disables Boot's own switch. */
    @Bean
    @ConditionalOnBooleanProperty("spring.mvc.hiddenmethod.filter.enabled")
    @Order(-10_000)
    HiddenHttpMethodFilter hiddenMethods() {
        return new HiddenHttpMethodFilter();
    }

    @Bean
    WebFilter refusing(Evaluator evaluator) {
        return (exchange, chain) -> exchange.getRequest().getPath().value().equals("/filtered")
                ? Mono.error(ServletApp.refusal(evaluator))
                : chain.filter(exchange);
    }

    @RestController
    static class Handlers {

        private final Gate gate;
        private final Evaluator evaluator;

        Handlers(Gate gate, Evaluator evaluator) {
            this.gate = gate;
            this.evaluator = evaluator;
        }

        @RequestMapping({"/api/login", "/api/orders/{id}", "/api/orders/{id}/items", "/admin/users/{user}/keys"})
        String limited() {
            return "limited";
        }

        @RequestMapping("/**")
        String open() {
            return "open";
        }

        @PostMapping("/echo")
        String echo(@RequestBody String body) {
            return body;
        }

        @PostMapping("/size")
        Mono<String> size(ServerHttpRequest request) {
            return request.getBody()
                    .map(piece -> {
                        long count = piece.readableByteCount();
                        DataBufferUtils.release(piece);
                        return count;
                    })
                    .reduce(0L, Long::sum)
                    .map(String::valueOf);
        }

        @RequestMapping("/form")
        Mono<String> form(ServerWebExchange exchange) {
            return exchange.getFormData()
                    .map(form -> exchange.getRequest().getMethod() + " " + form.getFirst("name") + " "
                            + form.getFirst("other"));
        }

        @PostMapping("/parts")
        String parts(@RequestPart("name") String name) {
            return name;
        }

        @GetMapping("/held")
        Mono<String> held() {
            return Mono.fromFuture(gate.result.get(), true);
        }

        @GetMapping("/later")
        Mono<String> later() {
            return Mono.just("later");
        }

        @GetMapping("/missing")
        Mono<Void> missing(ServerHttpResponse response) {
            response.setRawStatusCode(404);
            return response.setComplete();
        }

        @GetMapping("/thrown")
        Mono<String> thrown() {
            return Mono.error(ServletApp.refusal(evaluator));
        }

        @GetMapping("/principal")
        Mono<String> principal() {
            return Mono.deferContextual(context ->
                    Mono.just(context.get(CurrentRequest.class).principal() == null ? "nobody" : "somebody"));
        }

        @GetMapping("/current")
        Mono<String> current() {
            return Mono.deferContextual(context -> {
                CurrentRequest request = context.get(CurrentRequest.class);
                return Mono.just(request.attribute("path") + " " + request.attribute("method") + " "
                        + request.attribute("ip") + " " + request.attribute("header.x-a") + " "
                        + request.attribute("query.q") + " " + request.attribute("user"));
            });
        }
    }
}
