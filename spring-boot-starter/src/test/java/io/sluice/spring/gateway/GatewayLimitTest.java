package io.sluice.spring.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.sluice.spring.internal.ChargedRules;
import io.sluice.spring.internal.ClockBeans;
import io.sluice.spring.internal.EngineBeans;
import io.sluice.spring.internal.Party;
import io.sluice.spring.internal.RedisBeans;
import io.sluice.spring.internal.RulesOfTest;
import io.sluice.spring.internal.Settlements;
import io.sluice.spring.internal.Unsecured;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.http.PathMixtures;
import io.sluice.testkit.http.RawCaller;
import io.sluice.testkit.process.NginxServer;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.cloud.gateway.config.GatewayProperties;
import org.springframework.cloud.gateway.event.RefreshRoutesEvent;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.GlobalFilter;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.route.RouteDefinition;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A real gateway on reactor-netty, before a real server, mostly on a real Redis. To start one costs more than most tests, so a test takes
 * the gateway that an earlier test has left, if only routes and rules differ.
 */
@Timeout(300)
class GatewayLimitTest {

    /** The example of the reference documentation (three requests in three minutes) with one additional line. */
    private static final String FROM_THE_REFERENCE = """
            spring:
              cloud:
                gateway:
                  server:
                    webflux:
                      routes:
                      - id: requestratelimiter_route
                        uri: UPSTREAM
                        predicates:
                        - Path=/**
                        filters:
                        - name: RequestRateLimiter
                          args:
                            rate-limiter: "#{@sluiceRateLimiter}"
                            key-resolver: "#{@userKeyResolver}"
                            redis-rate-limiter.replenishRate: 1
                            redis-rate-limiter.burstCapacity: 10800
                            redis-rate-limiter.requestedTokens: 3600
            """;

    private static final String OF_GATEWAY = "spring.cloud.gateway.server.webflux";

    /** What tests have left, by what it was started with. All stop together, because they share the threads of Reactor Netty. */
    private static final Map<Object, Deque<ConfigurableApplicationContext>> LEFT = new HashMap<>();

    private record Taken(Object start, ConfigurableApplicationContext gateway) {}

    private final Party upstream = new Party();
    private final HttpClient http = HttpClient.newHttpClient();
    private final Deque<Taken> taken = new ArrayDeque<>();
    private String redis = "";

    @AfterEach
    void close() {
        leave();
        upstream.close();
    }

    @AfterAll
    static void stop() {
        LEFT.values().forEach(each -> each.forEach(ConfigurableApplicationContext::close));
        LEFT.clear();
    }

    /** Leaves the gateways to those who come later. */
    private void leave() {
        taken.forEach(each ->
                LEFT.computeIfAbsent(each.start(), start -> new ArrayDeque<>()).add(each.gateway()));
        taken.clear();
    }

    private ConfigurableApplicationContext gateway() {
        return taken.getFirst().gateway();
    }

    @Configuration(proxyBeanMethods = false)
    @Import({EngineBeans.class, ClockBeans.class})
    @Unsecured
    static class Gateway {

        @Bean
        Settlements settlements() {
            return new Settlements();
        }

        /** Stands for the WebFlux filter, which has already asked the rule {@code everything}, if the request says so. */
        @Bean
        WebFilter before() {
            return (exchange, chain) -> {
                if (exchange.getRequest().getHeaders().getFirst("X-Asked-Before") != null) {
                    ChargedRules.add(exchange.getAttributes(), List.of("everything"));
                }
                return chain.filter(exchange);
            };
        }

        @Bean
        KeyResolver userKeyResolver() {
            return exchange ->
                    Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-User"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(RedisBeans.class)
    static class OnRedis {}

    /** Resolves keys on another event loop than the connection's, as a Redis client does. */
    @Configuration(proxyBeanMethods = false)
    static class Elsewhere {

        record Seen(List<String> threads) implements GlobalFilter, Ordered {

            @Override
            public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
                threads.add(Thread.currentThread().getName());
                return chain.filter(exchange);
            }

            @Override
            public int getOrder() {
                return 9_000;
            }
        }

        @Bean
        Seen seen() {
            return new Seen(new CopyOnWriteArrayList<>());
        }

        @Bean(destroyMethod = "shutdownGracefully")
        EventExecutor loop() {
            return new DefaultEventExecutor(new DefaultThreadFactory("elsewhere", true));
        }

        @Bean(defaultCandidate = false)
        KeyResolver foundElsewhere(EventExecutor loop, CountDownLatch found) {
            return exchange ->
                    Mono.just("ada").publishOn(Schedulers.fromExecutor(loop)).doOnNext(key -> found.countDown());
        }

        @Bean
        CountDownLatch found() {
            return new CountDownLatch(1);
        }
    }

    @Test
    void routesOfTheReferenceDocumentationSwitchByBeanName() {
        String gateway = start(FROM_THE_REFERENCE, "rules: []");
        for (int left = 7_200; left >= 0; left -= 3_600) {
            HttpResponse<String> passed = get(gateway, "/x", "X-User", "ada");
            assertThat(passed.statusCode()).isEqualTo(200);
            assertThat(number(passed, "X-RateLimit-Remaining")).isBetween((long) left, left + 3_500L);
            assertThat(number(passed, "X-RateLimit-Replenish-Rate")).isEqualTo(1);
            assertThat(number(passed, "X-RateLimit-Burst-Capacity")).isEqualTo(10_800);
            assertThat(number(passed, "X-RateLimit-Requested-Tokens")).isEqualTo(3_600);
            assertThat(passed.headers().firstValue("RateLimit-Policy"))
                    .hasValue("\"route-requestratelimiter_route.0\";q=10800;w=10800");
        }
        HttpResponse<String> refused = get(gateway, "/x", "X-User", "ada");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(number(refused, "Retry-After")).isBetween(1L, 3_600L);
        assertThat(number(refused, "X-RateLimit-Remaining")).isBetween(0L, 3_599L);

        assertThat(get(gateway, "/x", "X-User", "bob").statusCode()).isEqualTo(200);
        assertThat(get(gateway, "/x").statusCode())
                .as("without a key, as the gateway has it")
                .isEqualTo(403);
        assertThat(upstream.arrivals()).hasSize(4);
    }

    @Tag("boot-3-long")
    @Test
    void gatewaysOnOneRedisShareTheCount() {
        redis = RedisServer.shared().uri();
        String one = start(FROM_THE_REFERENCE, "rules: []", OnRedis.class);
        String other = start(FROM_THE_REFERENCE, "rules: []", OnRedis.class);
        int passed = 0;
        for (int i = 0; i < 10; i++) {
            passed += get(i % 2 == 0 ? one : other, "/x", "X-User", "ada").statusCode() == 200 ? 1 : 0;
        }
        assertThat(passed)
                .as("with answers of Redis that came late, charged and not used, and a half more at each gateway")
                .isBetween(2, 5);
    }

    @Tag("boot-3-long")
    @ParameterizedTest
    @ValueSource(strings = {"open", "local", "closed"})
    void whenRedisDiesThePolicyDecides(String policy) {
        RedisServer server = RedisServer.start();
        redis = server.uri();
        String gateway = start(
                FROM_THE_REFERENCE.replace("burstCapacity: 10800", "burstCapacity: 14400")
                        + "sluice.gateway.on-failure: " + policy + "\n",
                "rules: []",
                OnRedis.class);
        server.close();
        List<HttpResponse<String>> answers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            answers.add(get(gateway, "/x", "X-User", "ada"));
        }
        long passed =
                answers.stream().filter(answer -> answer.statusCode() == 200).count();
        assertThat(passed).isEqualTo(policy.equals("open") ? 6 : policy.equals("local") ? 2 : 0);
        assertThat(answers).allSatisfy(answer -> answer.headers()
                .firstValue("X-RateLimit-Remaining")
                .ifPresent(left -> assertThat(Long.parseLong(left)).isNotNegative()));
        if (policy.equals("closed")) {
            assertThat(answers.get(0).headers().firstValue("Retry-After")).hasValue("1");
        }
    }

    @Test
    void moreTokensThanTheBucketHoldsAreRefusedWithoutRetryAfter() {
        String gateway =
                start(FROM_THE_REFERENCE.replace("requestedTokens: 3600", "requestedTokens: 10801"), "rules: []");
        HttpResponse<String> refused = get(gateway, "/x", "X-User", "ada");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).isEmpty();
    }

    @Test
    void theLimiterAppliesRulesInForceByName() {
        String gateway = start(
                FROM_THE_REFERENCE.replaceAll(
                        "redis-rate-limiter\\.[^\\n]*\\n\\s*redis[^\\n]*\\n\\s*redis[^\\n]*", "sluice.rule: per-key"),
                "rules: [{ id: per-key, service: other, limits: [{ by: key, limit: 1, window: 1h }] }]");
        assertThat(get(gateway, "/x", "X-User", "ada").statusCode()).isEqualTo(200);
        HttpResponse<String> refused = get(gateway, "/x", "X-User", "ada");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(number(refused, "Retry-After")).isPositive();
        assertThat(get(gateway, "/x", "X-User", "bob").statusCode()).isEqualTo(200);
    }

    @Test
    void theFilterAnswersLikeTheWebFilters() {
        String gateway = start(
                routes("Sluice=orders, header.x-user"),
                "rules: [{ id: orders, service: other, limits: [{ by: key, limit: 1, window: 1h }] }]");
        HttpResponse<String> passed = get(gateway, "/x", "X-User", "ada");
        assertThat(passed.statusCode()).isEqualTo(200);
        assertThat(passed.headers().firstValue("RateLimit"))
                .hasValueSatisfying(text -> assertThat(text).startsWith("\"orders.0\";r=0;t="));
        HttpResponse<String> refused = get(gateway, "/x", "X-User", "ada");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(refused.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(refused.headers().firstValue("Content-Language")).hasValue("en");
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        assertThat(refused.body()).contains("\"rule\":\"orders\"", "\"status\":429", "\"title\":\"Too Many Requests\"");
        assertThat(get(gateway, "/x", "X-User", "bob").statusCode()).isEqualTo(200);
    }

    @Test
    void theFilterCountsTheRequestAsItCameNotAsRewritten() {
        String gateway = start(
                routes("StripPrefix=1", "Sluice=paths"),
                "rules: [{ id: paths, service: other, limits: [{ by: path, limit: 1, window: 1h }] }]");
        assertThat(get(gateway, "/a/x").statusCode()).isEqualTo(200);
        assertThat(get(gateway, "/b/x").statusCode()).isEqualTo(200);
        assertThat(get(gateway, "/a/x").statusCode()).isEqualTo(429);
        assertThat(upstream.paths()).containsExactly("/x", "/x");
    }

    @Test
    void denyingRulesForbid() {
        String gateway = start(routes("Sluice=closed"), "rules: [{ id: closed, service: other, action: deny }]");
        assertThat(get(gateway, "/x").statusCode()).isEqualTo(403);
    }

    @Tag("boot-3-long")
    @Test
    void permitsAreHeldUntilTheExchangeEnds() {
        redis = RedisServer.shared().uri();
        for (String filter : List.of("Sluice=slots", "LIMITER")) {
            String gateway = start(
                    filter.equals("LIMITER")
                            ? routes(
                                    "{ name: RequestRateLimiter, args: { rate-limiter: \"#{@sluiceRateLimiter}\", key-resolver: \"#{@userKeyResolver}\", sluice.rule: slots } }")
                            : routes(filter),
                    "rules: [{ id: slots, deadline: 1m, service: other, limits: [{ algorithm: concurrency, limit: 1, ttl: 1h }] }]",
                    OnRedis.class);
            CountDownLatch end = new CountDownLatch(1);
            int before = upstream.arrivals().size();
            upstream.answers(exchange -> {
                exchange.sendResponseHeaders(200, 0);
                exchange.getResponseBody().write("first".getBytes(StandardCharsets.UTF_8));
                exchange.getResponseBody().flush();
                try {
                    end.await(120, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            CompletableFuture<HttpResponse<String>> open =
                    http.sendAsync(request(gateway, "/x", "X-User", "ada"), HttpResponse.BodyHandlers.ofString());
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> upstream.arrivals().size() == before + 1);
            assertThat(get(gateway, "/x", "X-User", "ada").statusCode()).isEqualTo(429);
            end.countDown();
            assertThat(open).succeedsWithin(Duration.ofMinutes(1));
            await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(
                            get(gateway, "/x", "X-User", "ada").statusCode())
                    .isEqualTo(200));
            leave();
        }
    }

    @Test
    void callersThatDisconnectReleaseTheirPermits() {
        String gateway = start(
                routes("Sluice=slots"),
                "rules: [{ id: slots, service: other, limits: [{ algorithm: concurrency, limit: 1, ttl: 1h }] }]");
        CountDownLatch end = new CountDownLatch(1);
        upstream.answers(exchange -> {
            try {
                end.await(120, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        CompletableFuture<?> leaver = http.sendAsync(request(gateway, "/x"), HttpResponse.BodyHandlers.ofString());
        await().atMost(Duration.ofMinutes(1)).until(() -> upstream.arrivals().size() == 1);
        leaver.cancel(true);
        upstream.answers(exchange -> exchange.sendResponseHeaders(204, -1));

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(get(gateway, "/x").statusCode()).isEqualTo(204));
        end.countDown();
    }

    @Test
    void rulesInForceApplyToRoutesByTheirId() {
        String gateway = start(routes("AddRequestHeader=X-A, 1") + "sluice.gateway.apply-rules: true\n", """
                rules:
                  - { id: of-route, service: route-a, resource: "/limited/**", limits: [{ by: ip, limit: 1, window: 1h }] }
                  - { id: of-other, service: route-b, limits: [{ limit: 0, window: 1h }] }
                """);
        assertThat(get(gateway, "/limited/x").statusCode()).isEqualTo(200);
        assertThat(get(gateway, "/limited/y").statusCode()).isEqualTo(429);
        assertThat(get(gateway, "/free").statusCode()).isEqualTo(200);
        assertThat(get(gateway, "/limited/%2e%2e/free").statusCode()).isEqualTo(400);
    }

    @Test
    void aRuleForCodeAppliesOnlyToTheRouteThatNamesIt() {
        String gateway =
                start("""
                spring.cloud.gateway.server.webflux.routes:
                - { id: named, uri: UPSTREAM, predicates: [ Path=/named ], filters: [ Sluice=code ] }
                - { id: other, uri: UPSTREAM, predicates: [ Path=/** ] }
                sluice.gateway.apply-rules: true
                """, "rules: [{ id: code, for: code, limits: [{ by: header.x-app, limit: 1, window: 1h }] }]");
        for (int i = 0; i < 3; i++) {
            assertThat(get(gateway, "/x", "X-App", "a", "X-App", "b").statusCode())
                    .isEqualTo(200);
        }
        assertThat(get(gateway, "/named", "X-App", "a").statusCode()).isEqualTo(200);
        assertThat(get(gateway, "/named", "X-App", "a").statusCode()).isEqualTo(429);
    }

    /** A43: a segment that has no name, or none but parameters, is a name to some servers behind the gateway. */
    @Test
    void a43_noSpellingOfALimitedPathReachesTheServer() throws Exception {
        String gateway = start(
                routes("AddRequestHeader=X-A, 1") + "sluice.gateway.apply-rules: true\nsluice.web.enabled: false\n",
                """
                rules:
                  - { id: keys, resource: "/users/{user}/keys", limits: [{ limit: 0, window: 1h }] }
                  - { id: admin, resource: "/admin/**", limits: [{ limit: 0, window: 1h }] }
                """);
        List<String> paths = new ArrayList<>();
        for (String name : List.of(";x", ";", ".", "%2e", "%2E;x", "", "u;x", "%75", "a/..", "a/%2e%2e;x")) {
            paths.add("/users/" + name + "/keys");
            paths.add("/open/" + name + "/../../admin/x");
        }
        paths.addAll(
                List.of("//admin/x", "/;/admin/x", "/./admin/x", "/%61dmin/x", "/admin;v=1/x", "/open/..;/admin/x"));
        try (RawCaller caller = new RawCaller(URI.create(gateway).getPort())) {
            for (String path : paths) {
                assertThat(caller.get(path).status()).as(path).isIn(400, 429);
            }
        }
        assertThat(upstream.arrivals()).isEmpty();
        assertThat(get(gateway, "/users/u/other").statusCode()).isEqualTo(200);
    }

    /** A43 with spellings that are on no list, and a real nginx that serves the protected resources. */
    @Test
    void a43_noMixtureOfSpellingsReachesALimitedResource() throws Exception {
        String limited = "{ return 200 limited; }\n";
        String server = "location ~ ^/users/[^/]*/keys$ " + limited + "location /admin/ " + limited
                + "location / { return 200 open; }\n";
        try (NginxServer nginx = NginxServer.start(server)) {
            String gateway = start(
                    routes("AddRequestHeader=X-A, 1").replace("UPSTREAM", nginx.uri())
                            + "sluice.gateway.apply-rules: true\nsluice.web.enabled: false\n",
                    """
                    rules:
                      - { id: keys, resource: "/users/{user}/keys", limits: [{ limit: 0, window: 1h }] }
                      - { id: admin, resource: "/admin/**", limits: [{ limit: 0, window: 1h }] }
                    """);
            List<String> escaped = new ArrayList<>();
            int reachable = 0;
            try (RawCaller through = new RawCaller(URI.create(gateway).getPort());
                    RawCaller past = new RawCaller(nginx.port())) {
                for (String mixture : PathMixtures.of(
                        List.of("/users/u/keys", "/admin/x", "/open/../admin/x"),
                        SeededRandom.of("GatewayLimitTest"),
                        SeededRandom.scaled(300, 10_000))) {
                    reachable += body(past, mixture).equals("limited") ? 1 : 0;
                    if (body(through, mixture).equals("limited")) {
                        escaped.add(mixture);
                    }
                }
                assertThat(body(through, "/open")).isEqualTo("open");
            }
            assertThat(escaped).isEmpty();
            assertThat(reachable).isPositive();
        }
    }

    /** Servers close the connection without an answer to some targets. */
    private static String body(RawCaller caller, String target) {
        try {
            return caller.get(target).body();
        } catch (IOException closed) {
            return "";
        }
    }

    @Test
    void ambiguousRequestsAreRefusedWithoutTheWebFluxFilterToo() {
        String gateway = start(
                routes("Sluice=by-name, header.x-user")
                        + "sluice.gateway.apply-rules: true\nsluice.web.enabled: false\n",
                """
                rules:
                  - { id: paths, resource: "/limited/**", limits: [{ limit: 0, window: 1h }] }
                  - { id: deletes, methods: [DELETE], limits: [{ limit: 0, window: 1h }] }
                  - { id: searches, resource: "/search", limits: [{ by: query.q, limit: 9, window: 1h }] }
                  - { id: by-name, service: other, limits: [{ by: key, limit: 9, window: 1h }] }
                """);
        assertThat(get(gateway, "/limited/x").statusCode()).isEqualTo(429);
        HttpResponse<String> refused = get(gateway, "/free/%2e%2e/limited/x");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(get(gateway, "/free/..;/limited/x").statusCode()).isEqualTo(400);
        assertThat(get(gateway, "/limited%2fx").statusCode()).isEqualTo(400);
        assertThat(send(HttpRequest.newBuilder(URI.create(gateway + "/x"))
                                .method("delete", HttpRequest.BodyPublishers.noBody())
                                .build())
                        .statusCode())
                .isEqualTo(400);
        assertThat(get(gateway, "/search?q=1&q=2").statusCode()).isEqualTo(400);
        assertThat(get(gateway, "/x", "X-User", "ada", "X-User", "bob").statusCode())
                .isEqualTo(400);
        assertThat(upstream.arrivals()).isEmpty();
        assertThat(get(gateway, "/x", "X-User", "ada").statusCode()).isEqualTo(200);
    }

    @Test
    void eachFilterThatARouteNamesDecidesByItsOwnKey() {
        String limiter =
                "{ name: RequestRateLimiter, args: { rate-limiter: \"#{@sluiceRateLimiter}\", key-resolver: \"#{@userKeyResolver}\", sluice.rule: each } }";
        for (String first : List.of("Sluice=each, header.x-user", limiter)) {
            String gateway = start(
                    routes(first, "Sluice=each, header.x-tenant"),
                    "rules: [{ id: each, deadline: 1m, service: other, limits: [{ by: key, limit: 1, window: 1h }] }]");
            assertThat(get(gateway, "/x", "X-User", "ada", "X-Tenant", "acme").statusCode())
                    .isEqualTo(200);
            assertThat(get(gateway, "/x", "X-User", "bob", "X-Tenant", "acme").statusCode())
                    .isEqualTo(429);
            assertThat(get(gateway, "/x", "X-User", "eve", "X-Tenant", "other").statusCode())
                    .isEqualTo(200);
            leave();
        }
    }

    @Test
    void eachAttemptOfARetryIsDecided() {
        upstream.answers(exchange -> exchange.sendResponseHeaders(500, -1));
        String gateway = start(
                routes("Retry=3", "Sluice=twice"),
                "rules: [{ id: twice, service: other, limits: [{ limit: 2, window: 1h }] }]");
        assertThat(get(gateway, "/x").statusCode()).isEqualTo(429);
        assertThat(upstream.arrivals()).hasSize(2);
    }

    @Test
    void routesContinueOnTheThreadOfTheirConnection() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            redis = server.uri();
            continueOnTheThreadOfTheirConnection(server);
        }
    }

    private void continueOnTheThreadOfTheirConnection(RedisServer server) throws Exception {
        String gateway = start(
                routes("{ name: Sluice, args: { rule: each, key-resolver: \"#{@foundElsewhere}\" } }"),
                "rules: [{ id: each, deadline: 1m, service: other, limits: [{ by: key, limit: 9, window: 1h }] }]",
                OnRedis.class,
                Elsewhere.class);
        // A decision that completes before anyone waits for it stays on its thread. So Redis answers only after that.
        server.freeze();
        CompletableFuture<HttpResponse<String>> answer =
                http.sendAsync(request(gateway, "/x"), HttpResponse.BodyHandlers.ofString());
        assertThat(gateway().getBean(CountDownLatch.class).await(60, TimeUnit.SECONDS))
                .isTrue();
        gateway().getBean(EventExecutor.class).submit(() -> {}).get(60, TimeUnit.SECONDS);
        server.thaw();
        assertThat(answer.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        assertThat(gateway().getBean(Elsewhere.Seen.class).threads()).hasSize(1).allSatisfy(name -> assertThat(name)
                .startsWith("reactor-http"));
    }

    @Test
    void noRuleInForceIsChargedTwice() {
        String gateway = start(
                routes("AddRequestHeader=X-A, 1") + "sluice.gateway.apply-rules: true\n",
                "rules: [{ id: everything, limits: [{ limit: 2, window: 1h }] }]");
        assertThat(get(gateway, "/x").statusCode()).isEqualTo(200);
        assertThat(get(gateway, "/x").statusCode()).isEqualTo(200);
        assertThat(get(gateway, "/x").statusCode()).isEqualTo(429);
    }

    @Test
    void rulesChargedByTheWebFluxFilterAreNotChargedAgain() {
        String gateway = start(
                routes("AddRequestHeader=X-A, 1") + "sluice.gateway.apply-rules: true\nsluice.web.enabled: false\n",
                "rules: [{ id: everything, limits: [{ limit: 1, window: 1h }] }]");
        for (int i = 0; i < 3; i++) {
            assertThat(get(gateway, "/x", "X-Asked-Before", "yes").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void behindTheWebFluxFilterARuleIsChargedAndReportedOnce() {
        upstream.answers(exchange -> {
            exchange.getResponseHeaders().set("RateLimit", "\"elsewhere\";r=77;t=1");
            exchange.sendResponseHeaders(204, -1);
        });
        String gateway = start(routes("AddRequestHeader=X-A, 1") + "sluice.gateway.apply-rules: true\n", """
                rules:
                  - { id: everything, limits: [{ limit: 2, window: 1h }] }
                  - { id: of-route, service: route-a, limits: [{ limit: 9, window: 1h }] }
                """);
        for (int left = 1; left >= 0; left--) {
            HttpResponse<String> passed = get(gateway, "/x");
            assertThat(passed.statusCode()).isEqualTo(204);
            assertThat(passed.headers().allValues("RateLimit")).hasSize(1);
            assertThat(passed.headers().firstValue("RateLimit").orElseThrow()).doesNotContain("elsewhere");
        }
        HttpResponse<String> refused = get(gateway, "/x");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.body()).contains("\"rule\":\"everything\"");
        assertThat(upstream.arrivals()).hasSize(2);
    }

    @Tag("boot-3-long")
    @Test
    void routesPassWhileTheirRuleIsMissingIfTheyMay() {
        String gateway = start(routes("Sluice=nowhere") + "sluice.missing-rule: warn\n", "rules: []");
        assertThat(get(gateway, "/x").statusCode()).isEqualTo(200);
    }

    /** The rule of the filter, the one of the limiter and the one in force reserve together, and one response settles them. */
    @Test
    void theResponseOfTheUpstreamSettles() {
        upstream.answers(exchange -> {
            byte[] body =
                    "data: {\"usage\":{\"total_tokens\":30}}\n\ndata: [DONE]\n\n".getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.getResponseHeaders().set("X-Rows", "7");
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(body);
        });
        String gateway = start(
                routes(
                                "Sluice=named",
                                "name: RequestRateLimiter\n    args: { rate-limiter: \"#{@sluiceRateLimiter}\","
                                        + " key-resolver: \"#{@userKeyResolver}\", sluice.rule: limiter }")
                        + "sluice.gateway.apply-rules: true\nsluice.web.enabled: false\n",
                """
                rules:
                  - id: named
                    for: code
                    limits: [{ limit: 1000, window: 1h, cost: { reserve: header.x-max, settle: answer.json.usage.total_tokens } }]
                  - id: limiter
                    for: code
                    limits: [{ limit: 1000, window: 1h, cost: { reserve: 20, settle: answer.json.missing } }]
                  - id: everything
                    limits: [{ limit: 1000, window: 1h, cost: { reserve: 10, settle: answer.header.x-rows } }]
                """);
        List<String> settlements = gateway().getBean(Settlements.class).all();
        HttpResponse<String> passed = get(gateway, "/x", "X-User", "ada", "X-Max", "100");
        assertThat(passed.body()).isEqualTo("data: {\"usage\":{\"total_tokens\":30}}\n\ndata: [DONE]\n\n");
        await().atMost(Duration.ofMinutes(1)).until(() -> settlements.size() >= 3);
        assertThat(settlements)
                .containsExactlyInAnyOrder("everything.0 10 -> 7", "named.0 100 -> 30", "limiter.0 20 no-figure");
    }

    private static long number(HttpResponse<?> answer, String header) {
        return Long.parseLong(answer.headers().firstValue(header).orElseThrow());
    }

    private static String routes(String... filters) {
        StringBuilder yaml = new StringBuilder("""
                spring.cloud.gateway.server.webflux.routes:
                - id: route-a
                  uri: UPSTREAM
                  predicates: [ Path=/** ]
                  filters:
                """);
        for (String filter : filters) {
            yaml.append("  - ").append(filter).append('\n');
        }
        return yaml.toString();
    }

    private String start(String yaml, String rules, Class<?>... more) {
        List<Class<?>> sources = new ArrayList<>(List.of(more));
        sources.add(0, Gateway.class);
        MapPropertySource properties = properties(yaml);
        Map<String, Object> settings = new HashMap<>(properties.getSource());
        settings.keySet().removeIf(name -> name.startsWith(OF_GATEWAY));
        Object start = List.of(sources, settings.toString(), redis);
        Deque<ConfigurableApplicationContext> left = LEFT.get(start);
        ConfigurableApplicationContext gateway;
        if (left == null || left.isEmpty()) {
            gateway = new SpringApplicationBuilder(sources.toArray(Class<?>[]::new))
                    .web(WebApplicationType.REACTIVE)
                    .initializers(context ->
                            context.getEnvironment().getPropertySources().addFirst(properties))
                    .properties(
                            "server.port=0",
                            "server.address=127.0.0.1",
                            "spring.main.banner-mode=off",
                            "test.redis=" + redis,
                            "test.rules=" + rules)
                    .run();
        } else {
            gateway = left.remove();
            gateway.getBean(RulesOfTest.class).replace(rules);
            route(gateway, properties);
        }
        taken.addFirst(new Taken(start, gateway));
        return "http://127.0.0.1:" + gateway.getEnvironment().getRequiredProperty("local.server.port");
    }

    /** Replaces the routes. */
    private void route(ConfigurableApplicationContext gateway, MapPropertySource properties) {
        gateway.getEnvironment().getPropertySources().replace(properties.getName(), properties);
        List<RouteDefinition> routes = Binder.get(gateway.getEnvironment())
                .bind(OF_GATEWAY, GatewayProperties.class)
                .get()
                .getRoutes();
        gateway.getBean(GatewayProperties.class).setRoutes(routes);
        gateway.publishEvent(new RefreshRoutesEvent(this));
        await().atMost(Duration.ofMinutes(1)).until(() -> gateway.getBean(RouteLocator.class)
                .getRoutes()
                .all(route -> route.getUri().toString().equals(upstream.uri()))
                .block());
    }

    private MapPropertySource properties(String yaml) {
        YamlPropertiesFactoryBean reader = new YamlPropertiesFactoryBean();
        reader.setResources(
                new ByteArrayResource(yaml.replace("UPSTREAM", upstream.uri()).getBytes(StandardCharsets.UTF_8)));
        Map<String, Object> properties = new HashMap<>();
        reader.getObject().forEach((name, value) -> properties.put(name.toString(), value));
        return new MapPropertySource("gateway", properties);
    }

    private HttpResponse<String> get(String gateway, String path, String... headers) {
        return send(request(gateway, path, headers));
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static HttpRequest request(String gateway, String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(gateway + path));
        return headers.length == 0 ? request.build() : request.headers(headers).build();
    }
}
