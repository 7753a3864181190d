package io.sluice.examples.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Two instances on one Redis. */
class WithRedisTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final String USED_UP = "quota-exceeded";
    private static final String UNAVAILABLE = "temporary-reduced-capacity";

    private static final RedisServer REDIS = RedisServer.start();
    private static final List<ConfigurableApplicationContext> INSTANCES = new ArrayList<>();

    @BeforeAll
    static void start(@TempDir Path folder) throws IOException {
        Path key = Files.writeString(folder.resolve("key"), "a secret of sixteen bytes or more");
        // A busy machine may be slow, and no minute may pass while it is.
        String patient = Files.readString(Path.of("rules.yaml"))
                .replace("deadline: 500ms", "deadline: 1m")
                .replace("window: 1m", "window: 1h");
        Path rules = Files.writeString(folder.resolve("rules.yaml"), patient);
        for (int i = 0; i < 2; i++) {
            INSTANCES.add(SpringApplication.run(
                    PaymentApplication.class,
                    "--server.port=0",
                    "--sluice.redis.uri=" + REDIS.uri(),
                    "--sluice.rules-file=" + rules,
                    "--sluice.hash-key-file=" + key));
        }
    }

    @AfterAll
    static void stop() {
        INSTANCES.forEach(ConfigurableApplicationContext::close);
        REDIS.close();
    }

    /** An instance may have started without Redis, which is then available soon. */
    @BeforeEach
    void awaitRedis() {
        REDIS.command("FLUSHALL");
        for (ConfigurableApplicationContext instance : INSTANCES) {
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() -> pay(instance, "A-1").get(60, TimeUnit.SECONDS).statusCode() == 201);
        }
    }

    @Test
    void exactlyFiveOfManyPaymentsAtOncePass() throws Exception {
        long before = booked();
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            for (ConfigurableApplicationContext instance : INSTANCES) {
                answers.add(pay(instance, "A-17"));
            }
        }
        long passed = 0;
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            int status = answer.get(60, TimeUnit.SECONDS).statusCode();
            assertThat(status).isIn(201, 429);
            passed += status == 201 ? 1 : 0;
        }
        // If a busy machine looked like a slow Redis, payments were refused too early, and something is left.
        HttpResponse<String> last = answers.get(0).get();
        while (!last.body().contains(USED_UP)) {
            last = pay(INSTANCES.get(0), "A-17").get(60, TimeUnit.SECONDS);
            passed += last.statusCode() == 201 ? 1 : 0;
        }

        assertThat(passed).isEqualTo(5);
        assertThat(booked() - before).isEqualTo(5);
        assertThat(REDIS.command("KEYS", "*").toString()).contains("payment").doesNotContain("A-17");
    }

    @Test
    void nobodyPaysWhileRedisIsUnavailable() throws Exception {
        REDIS.kill();
        long before = booked();
        for (int i = 0; i < 20; i++) {
            HttpResponse<String> answer =
                    pay(INSTANCES.get(i % 2), "A-" + (100 + i)).get(60, TimeUnit.SECONDS);
            assertThat(answer.statusCode()).isEqualTo(429);
            assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(answer.body()).contains(UNAVAILABLE);
        }
        assertThat(booked()).isEqualTo(before);

        REDIS.restart();
        await().atMost(60, TimeUnit.SECONDS)
                .until(() ->
                        pay(INSTANCES.get(0), "A-18").get(60, TimeUnit.SECONDS).statusCode() == 201);
    }

    private long booked() {
        return INSTANCES.stream()
                .mapToLong(instance -> instance.getBean(Ledger.class).payments())
                .sum();
    }

    private static CompletableFuture<HttpResponse<String>> pay(
            ConfigurableApplicationContext instance, String account) {
        String port = instance.getEnvironment().getRequiredProperty("local.server.port");
        return HTTP.sendAsync(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/payments"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(
                                "{\"account\": \"" + account + "\", \"cents\": 1999}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
