package io.sluice.examples.loginandsms;

import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.MediaType;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;
import org.springframework.test.web.servlet.client.RestTestClient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;




@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
class WithRedisTest {

    private static final RedisServer REDIS = RedisServer.start();

    @TempDir
    static Path folder;

    @DynamicPropertySource
    static void redis(DynamicPropertyRegistry properties) throws IOException {
        Path key = Files.writeString(folder.resolve("key"), "a secret of sixteen bytes or more");
        // A busy machine may be slow.
        String patient = Files.readString(Path.of("rules.yaml")).replace("deadline: 500ms", "deadline: 10s");
        Path rules = Files.writeString(folder.resolve("rules.yaml"), patient);
        properties.add("sluice.redis.uri", REDIS::uri);
        properties.add("sluice.rules-file", rules::toString);
        properties.add("sluice.hash-key-file", key::toString);
    }

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @LocalServerPort
    private int port;

    @Test
    void storesNoNameOrNumberInRedisAndRefusesLoginsWithoutIt() {
        // The application may have started without Redis, which is then available soon.
        await().atMost(60, TimeUnit.SECONDS)
                .untilAsserted(() -> login("alice").expectStatus().isOk());
        post("/sms/send", "{\"phone\": \"+8613800138000\"}").expectStatus().isAccepted();
        assertThat(REDIS.command("KEYS", "*").toString())
                .contains("login", "sms")
                .doesNotContain("alice", "13800138000");

        REDIS.kill();
        login("alice")
                .expectStatus()
                .isEqualTo(429)
                .expectHeader()
                .valueEquals("Retry-After", "1")
                .expectBody()
                .jsonPath("$.type")
                .value(String.class, type -> assertThat(type).endsWith("temporary-reduced-capacity"));
    }

    private ResponseSpec login(String name) {
        return post("/api/login", "{\"username\": \"" + name + "\", \"password\": \"wonderland\"}");
    }

    private ResponseSpec post(String path, String body) {
        return RestTestClient.bindToServer()
                .baseUrl("http://127.0.0.1:" + port)
                .build()
                .post()
                .uri(path)
                .contentType(MediaType.APPLICATION_JSON)
                .body(body)
                .exchange();
    }
}
