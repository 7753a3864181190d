package io.sluice.spring.web;

import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.spring.CurrentRequest;
import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.internal.NamedAutoConfigurations;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.Filter;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** The application under test on Tomcat. */
@Configuration(proxyBeanMethods = false)
@NamedAutoConfigurations({
    "org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration",
    "org.springframework.boot.autoconfigure.context.ConfigurationPropertiesAutoConfiguration",
    "org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration",
    "org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration",
    "org.springframework.boot.servlet.autoconfigure.HttpEncodingAutoConfiguration",
    "org.springframework.boot.servlet.autoconfigure.MultipartAutoConfiguration",
    "org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration",
    "org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration",
    "org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration",
    "org.springframework.boot.autoconfigure.web.servlet.ServletWebServerFactoryAutoConfiguration",
    "org.springframework.boot.autoconfigure.http.HttpMessageConvertersAutoConfiguration",
    "org.springframework.boot.autoconfigure.web.servlet.HttpEncodingAutoConfiguration",
    "org.springframework.boot.autoconfigure.web.servlet.MultipartAutoConfiguration",
    "org.springframework.boot.autoconfigure.web.servlet.DispatcherServletAutoConfiguration",
    "org.springframework.boot.autoconfigure.web.servlet.error.ErrorMvcAutoConfiguration",
    "org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration",
    "io.sluice.spring.boot.web.ServletLimitAutoConfiguration"
})
@Import(ServletApp.Handlers.class)
class ServletApp {

    /** Completed by tests. */
    static final class Gate {
        final AtomicReference<CompletableFuture<String>> result = new AtomicReference<>(new CompletableFuture<>());
    }

    @Bean
    Gate gate() {
        return new Gate();
    }

    @Bean
    RouterFunction<ServerResponse> routes(Evaluator evaluator) {
        return RouterFunctions.route()
                .GET("/functional", request -> {
                    throw refusal(evaluator);
                })
                .build();
    }

    @Bean
    Filter refusing(Evaluator evaluator) {
        return (request, response, chain) -> {
            if (((HttpServletRequest) request).getRequestURI().equals("/filtered")) {
                throw refusal(evaluator);
            }
            chain.doFilter(request, response);
        };
    }

    static RateLimitExceededException refusal(Evaluator evaluator) {
        Ruling ruling = evaluator
                .evaluate(Attributes.of(Map.of("service", "thrown")), 1)
                .toCompletableFuture()
                .join();
        return new RateLimitExceededException((Ruling.Settled) ruling);
    }

    @RestController
    static class Handlers {

        private final Gate gate;
        private final CurrentRequest.Finder finder;
        private final Evaluator evaluator;

        Handlers(Gate gate, CurrentRequest.Finder finder, Evaluator evaluator) {
            this.gate = gate;
            this.finder = finder;
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
        String size(HttpServletRequest request) throws IOException {
            long size = 0;
            byte[] piece = new byte[1000];
            for (int count = request.getInputStream().read(piece); count >= 0; ) {
                size += count;
                count = request.getInputStream().read(piece);
            }
            return Long.toString(size);
        }

        @RequestMapping("/form")
        String form(HttpServletRequest request) {
            return request.getMethod() + " " + request.getParameter("name") + " " + request.getParameter("other");
        }

        @PostMapping("/parts")
        String parts(HttpServletRequest request) throws IOException, ServletException {
            return new String(request.getPart("name").getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }

        @PostMapping("/listened")
        void listened(HttpServletRequest request) throws IOException {
            AsyncContext async = request.startAsync();
            ServletInputStream in = request.getInputStream();
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            in.setReadListener(new ReadListener() {
                @Override
                public void onDataAvailable() throws IOException {
                    byte[] piece = new byte[1000];
                    while (in.isReady()) {
                        int count = in.read(piece);
                        if (count < 0) {
                            return;
                        }
                        read.write(piece, 0, count);
                    }
                }

                @Override
                public void onAllDataRead() throws IOException {
                    async.getResponse().getWriter().print(read.size());
                    async.complete();
                }

                @Override
                public void onError(Throwable failure) {
                    async.complete();
                }
            });
        }

        @GetMapping("/held")
        CompletableFuture<String> held() {
            return gate.result.get();
        }

        @GetMapping("/later")
        Callable<String> later() {
            return () -> "later";
        }

        @GetMapping("/forwarding")
        void forwarding(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
            request.getRequestDispatcher("/later").forward(request, response);
        }

        @GetMapping("/missing")
        void missing(HttpServletResponse response) throws IOException {
            response.sendError(404);
        }

        @GetMapping("/thrown")
        String thrown() {
            throw refusal(evaluator);
        }

        @GetMapping("/written")
        void written(HttpServletResponse response) throws IOException {
            response.getWriter().print("half of it");
            throw refusal(evaluator);
        }

        @GetMapping("/current")
        String current() {
            CurrentRequest request = finder.current().orElseThrow();
            return request.attribute("path") + " " + request.attribute("method") + " " + request.attribute("ip") + " "
                    + request.attribute("header.x-a") + " " + request.attribute("query.q") + " "
                    + request.attribute("user");
        }
    }
}
