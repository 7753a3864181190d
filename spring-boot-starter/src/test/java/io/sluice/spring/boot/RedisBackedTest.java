package io.sluice.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Explanation;
import io.sluice.rules.pattern.Attributes;
import io.sluice.runtime.participant.Engines;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Whole applications, with their servers, on a real Redis. */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(300)
class RedisBackedTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private RedisServer redis;

    @TempDir
    private Path folder;

    @BeforeEach
    void startRedis() {
        redis = RedisServer.start();
    }

    @AfterEach
    void stopRedis() {
        redis.close();
    }

    @Test
    void applicationsThatShareARedisShareTheirCounts(CapturedOutput output) throws Exception {
        Path file = rules(
                "rules: [{ id: one, deadline: 1m, on_failure: closed, limits: [{ by: user, limit: 3, window: 1h }] }]");
        try (App first = App.start("--sluice.redis.uri=" + redis.uri(), "--sluice.rules-file=" + file);
                App second = App.start(
                        "--spring.data.redis.port=" + redis.port(),
                        "--spring.data.redis.host=127.0.0.1",
                        "--sluice.rules-file=" + file)) {
            assertThat(first.allowsByRedis("u")).isTrue();
            assertThat(second.allowsByRedis("u")).isTrue();
            assertThat(first.allowsByRedis("u")).isTrue();
            assertThat(second.allowsByRedis("u")).isFalse();
            assertThat(redis.command("KEYS", "rate_limit:*").toString()).contains("one");
        }
        assertThat(output)
                .contains("Sluice shares its counts through " + redis.uri()
                        + " (configured by sluice.redis.uri); 1 rule from " + file + ", version 1")
                .contains("(configured by spring.data.redis)");
    }

    @Tag("boot-3-long")
    @Test
    void followsRulesInRedis() throws Exception {
        redis.command(
                "HSET",
                "rate_limit_config:USER:*",
                "id",
                "7",
                "limitType",
                "USER",
                "limitTarget",
                "*",
                "limitCount",
                "1",
                "timeWindow",
                "3600",
                "strategy",
                "SLIDING_WINDOW");
        try (App app = App.start("--sluice.redis.uri=" + redis.uri())) {
            assertThat(app.evaluator().rules().rules()).hasSize(1);
        }
    }

    @Test
    void reportsDegradedNotDownWhileRedisIsUnavailable() throws Exception {
        Path file = rules("""
                rules:
                  - { id: one, deadline: 1s, limits: [{ by: user, limit: 3, window: 1h }] }
                  - { id: strict, match: { user: x }, on_failure: closed, limits: [{ limit: 3, window: 1h }] }
                """);
        try (App app = App.start("--sluice.redis.uri=" + redis.uri(), "--sluice.rules-file=" + file)) {
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(app.get("/actuator/health").body())
                            .contains("\"sluice\":{", "\"status\":\"UP\"")
                            .doesNotContain("DEGRADED"));
            redis.kill();
            await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
                HttpResponse<String> health = app.get("/actuator/health");
                assertThat(health.statusCode()).isEqualTo(200);
                assertThat(health.body()).contains("redis-");
                assertThat(JsonParserFactory.getJsonParser().parseMap(health.body()))
                        .containsEntry("status", "DEGRADED");
            });
            assertThat(app.get("/actuator/sluice").body())
                    .contains("\"mode\":\"redis\"", "\"degraded\":\"redis-", "\"degraded_since\":\"2");
            assertThat(app.get("/actuator/prometheus").body())
                    .contains("rate_limit_breaker_state 1.0", "rate_limit_mode{mode=\"local\"} 1.0");
            assertThat(app.allows("u")).isTrue();

            redis.restart();
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(
                            () -> assertThat(app.get("/actuator/health").body()).doesNotContain("DEGRADED", "DOWN"));
        }
    }

    @Tag("boot-3-long")
    @Test
    void reportsDownIfNoRuleLetsAnythingPassWithoutRedis() throws Exception {
        Path file = rules("rules: [{ id: one, on_failure: closed, limits: [{ limit: 3, window: 1h }] }]");
        try (App app = App.start("--sluice.redis.uri=redis://127.0.0.1:1", "--sluice.rules-file=" + file)) {
            assertThat(app.get("/actuator/health").statusCode()).isEqualTo(503);
        }
    }

    @Test
    void theEndpointShowsRulesAndExplainsWithoutCharging() throws Exception {
        Path file = rules("rules: [{ id: one, deadline: 1m, limits: [{ by: user, limit: 3, window: 1h }] }]");
        try (App app = App.start("--sluice.redis.uri=" + redis.uri(), "--sluice.rules-file=" + file)) {
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(app.get("/actuator/sluice").body())
                            .contains(
                                    "\"version\":1",
                                    "\"digest\":\"" + app.evaluator().rules().digest(),
                                    "\"id\":\"one\"",
                                    "\"degraded\":null",
                                    "\"store\":\"redis://127.0.0.1:" + redis.port()));
            String question = "{\"attributes\": \"user=somebody-known&path=/a\", \"permits\": 2}";
            for (int i = 0; i < 5; i++) {
                HttpResponse<String> explained = app.post("/actuator/sluice", question);
                assertThat(explained.statusCode()).as(explained.body()).isEqualTo(200);
                assertThat(explained.body())
                        .contains("\"allowed\":true", "\"limits\":[{", "\"used\":0")
                        .doesNotContain("somebody-known");
            }
            assertThat(app.post("/actuator/sluice", "{\"attributes\": \"user=u\", \"permits\": 4}")
                            .statusCode())
                    .isEqualTo(400);
            assertThat(app.post("/actuator/sluice", "{\"attributes\": \"path=/a/%252f\"}")
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    @Tag("boot-3-long")
    @Test
    void returnsLeasedPermitsWhenTheApplicationStops() throws Exception {
        Path file = rules(
                "rules: [{ id: one, deadline: 1m, on_failure: closed, mode: local_distributed, lease: { size: 50, ttl: 1h },"
                        + " limits: [{ by: user, limit: 100000, window: 1h }] }]");
        int[] spent = {0};
        try (App app = App.start("--sluice.redis.uri=" + redis.uri(), "--sluice.rules-file=" + file)) {
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                for (int i = 0; i < 200; i++) {
                    spent[0] += app.allows("u") ? 1 : 0;
                }
                return app.context.getBean(Engines.class).watch().leased() > 0;
            });
        }
        try (App next = App.start("--sluice.redis.uri=" + redis.uri(), "--sluice.rules-file=" + file)) {
            Explanation explanation = next.evaluator()
                    .explain(Attributes.of(Map.of("user", "u")), 1)
                    .toCompletableFuture()
                    .join();
            assertThat(explanation.limits().get(0).used()).isEqualTo(spent[0]);
        }
    }

    private Path rules(String text) throws IOException {
        return Files.writeString(folder.resolve("rules.yaml"), text);
    }

    private record App(ConfigurableApplicationContext context) implements AutoCloseable {

        static App start(String... more) {
            SpringApplication application = new SpringApplication(Settings.class);
            application.setWebApplicationType(WebApplicationType.SERVLET);
            String[] arguments = new String[more.length + 6];
            arguments[0] = "--server.port=0";
            arguments[1] = "--management.endpoints.web.exposure.include=*";
            arguments[2] = "--management.endpoint.health.show-details=always";
            arguments[3] = "--spring.cloud.gateway.server.webflux.enabled=false";
            // Spring Data's own, which looks for a Redis at its default address.
            arguments[4] = "--management.health.redis.enabled=false";
            arguments[5] = "--sluice.web.exclude=/actuator/**";
            System.arraycopy(more, 0, arguments, 6, more.length);
            return new App(application.run(arguments));
        }

        Evaluator evaluator() {
            return context.getBean(Evaluator.class);
        }

        boolean allows(String user) {
            return SluiceAutoConfigurationTest.check(evaluator(), user).allowed();
        }

        /** Asks again while a slow machine looks like a hanging Redis; that charges nothing. */
        boolean allowsByRedis(String user) {
            return await().atMost(Duration.ofMinutes(1))
                    .until(
                            () -> SluiceAutoConfigurationTest.check(evaluator(), user),
                            ruling -> ruling.degraded() == null)
                    .allowed();
        }

        HttpResponse<String> get(String path) throws IOException, InterruptedException {
            return CLIENT.send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
        }

        HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
            return CLIENT.send(
                    HttpRequest.newBuilder(uri(path))
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }

        private URI uri(String path) {
            return URI.create("http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + path);
        }

        @Override
        public void close() {
            context.close();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration")
    static class Settings {
        @Bean
        SecurityFilterChain open(HttpSecurity http) {
            return http.csrf(csrf -> csrf.disable())
                    .authorizeHttpRequests(all -> all.anyRequest().permitAll())
                    .build();
        }
    }
}
