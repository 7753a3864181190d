package io.sluice.peers;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import reactor.core.publisher.Mono;

/**
 * Runs Spring Cloud Gateway with its Redis limiter in front of one upstream. It prints one line: its port, followed by a zero.
 *
 * <p>Arguments: the URI of the upstream and the port of Redis.
 */
@SpringBootApplication(proxyBeanMethods = false)
public class SpringGateway {

    private static final int NEVER_REACHED = 100_000_000;

    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(SpringGateway.class);
        application.setDefaultProperties(Map.of(
                "peer.upstream", args[0],
                "spring.data.redis.port", args[1],
                "server.port", "0",
                "server.http2.enabled", "true",
                "server.address", "127.0.0.1",
                "spring.main.banner-mode", "off",
                "logging.level.root", "warn"));
        Environment running = application.run().getEnvironment();
        System.out.println(running.getRequiredProperty("local.server.port") + " 0");
    }

    /** Limits each user, as the documentation of Spring Cloud Gateway shows. */
    @Bean
    RouteLocator routes(RouteLocatorBuilder routes, RedisRateLimiter limiter, Environment environment) {
        KeyResolver user =
                exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-User"));
        return routes.routes()
                .route(route -> route.path("/**")
                        .filters(filters -> filters.requestRateLimiter(
                                limit -> limit.setRateLimiter(limiter).setKeyResolver(user)))
                        .uri(environment.getRequiredProperty("peer.upstream")))
                .build();
    }

    @Bean
    RedisRateLimiter limiter() {
        return new RedisRateLimiter(NEVER_REACHED, NEVER_REACHED, 1);
    }
}
