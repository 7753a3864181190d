package io.sluice.imports;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.sluice.replay.imports.ImportKind;
import io.sluice.replay.imports.draft.ForeignFile;
import io.sluice.replay.imports.draft.ImportRefusedException;
import io.sluice.replay.imports.draft.Imported;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.filter.ratelimit.PrincipalNameKeyResolver;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import reactor.core.publisher.Mono;

/**
 * Routes of a real Spring Cloud Gateway, which binds their limits and counts on a real Redis, beside an application with the rules that
 * are imported from the same configuration. A request takes so many permits that they come back after days, so the time that a run
 * takes does not matter; {@code SpringGatewayPeerTest} compares how permits come back.
 */
class SpringGatewayRoutesPeerTest {

    private static final int OK = 200;

    @TempDir
    private static Path directory;

    private static HttpServer backend;

    @BeforeAll
    static void start() throws IOException {
        backend = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        backend.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(OK, -1);
            exchange.close();
        });
        backend.start();
    }

    @AfterAll
    static void stop() {
        backend.stop(0);
    }

    private static LimitedApplication gateway(Path config) {
        return LimitedApplication.gateway(
                Gateway.class,
                config,
                "sluice.enabled=false",
                "bucket4j.enabled=false",
                "backend.port=" + backend.getAddress().getPort(),
                // It lets requests pass while Redis does not answer.
                "spring.data.redis.connect-timeout=10m",
                "spring.data.redis.timeout=10m",
                "spring.data.redis.url=" + RedisServer.shared().uri());
    }

    private static Imported imported(String text) throws ImportRefusedException {
        return ImportKind.SPRING_CLOUD_GATEWAY.importer().read(ForeignFile.of("application.yml", text));
    }

    @Test
    void routesAdmitTheSameRequests() throws IOException, ImportRefusedException {
        SeededRandom random = SeededRandom.of("SpringGatewayRoutesPeerTest");
        String text = LimitedApplication.configuration("gateway.yml");
        Path config = Files.writeString(directory.resolve("gateway.yml"), text);
        Path rules = Files.writeString(
                directory.resolve("rules.yaml"), imported(text).document());
        try (LimitedApplication original = gateway(config);
                LimitedApplication successor =
                        LimitedApplication.servlet(config, "bucket4j.enabled=false", "sluice.rules-file=" + rules)) {
            List<Call> requests = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                requests.addAll(List.of(
                        Call.get("/orders/1").from("10.0.0.1"),
                        Call.get("/orders").from("10.0.0.1"),
                        Call.of("POST", "/orders/1/items").from("10.0.0.2"),
                        Call.get("/baskets/1").from("10.0.0.1"),
                        Call.get("/baskets/1").from("10.0.0.2"),
                        Call.get("/items/1"),
                        Call.get("/items/2"),
                        Call.get("/account"),
                        Call.get("/public")));
            }
            int refused = 0;
            while (!requests.isEmpty()) {
                Call call = requests.remove(random.nextInt(requests.size()));
                int status = original.send(call).statusCode();
                refused += status == OK ? 0 : 1;
                assertThat(successor.send(call).statusCode() == OK)
                        .as("%s, %d more to come", call, requests.size())
                        .isEqualTo(status == OK);
            }
            assertThat(refused).as("the requests exceed the limits").isPositive();
        }
    }

    @Test
    void theLastNumbersOfARouteHoldForAllItsLimiters() throws IOException, ImportRefusedException {
        String text = LimitedApplication.configuration("gateway-defaults.yml");
        Path config = Files.writeString(directory.resolve("gateway-defaults.yml"), text);
        try (LimitedApplication original = gateway(config)) {
            assertThat(admitted(original, Call.get("/plain"))).isEqualTo(9);
            assertThat(admitted(original, Call.get("/own")))
                    .as("two permits of six for each")
                    .isEqualTo(3);
        }
        assertThat(imported(text).document())
                .contains("    resource: /plain\n    limits:\n      - { by: ip, rate: 1/1000000s, burst: 9 }")
                .contains("    resource: /own\n    limits:\n      - { by: ip, rate: 1/2000000s, burst: 3 }")
                .contains("filters: the route has 2 limiters");
    }

    private static long admitted(LimitedApplication application, Call call) {
        return Stream.generate(() -> application.send(call).statusCode())
                .limit(12)
                .filter(status -> status == OK)
                .count();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Gateway {

        @Bean
        @Primary
        KeyResolver principalNameKeyResolver() {
            return new PrincipalNameKeyResolver();
        }

        @Bean
        KeyResolver ipKeyResolver() {
            return exchange ->
                    Mono.just(Objects.requireNonNull(exchange.getRequest().getRemoteAddress())
                            .getAddress()
                            .getHostAddress());
        }

        @Bean
        KeyResolver pathKeyResolver() {
            return exchange -> Mono.just(exchange.getRequest().getPath().value());
        }
    }
}
