package io.sluice.examples.tenants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.MediaType;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;

@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "management.prometheus.metrics.export.enabled=true")
class TenantsTest {

    private static final Path WRITTEN = Path.of("rules.yaml");

    @TempDir
    static Path folder;

    @DynamicPropertySource
    static void rules(DynamicPropertyRegistry properties) throws IOException {
        Files.writeString(folder.resolve("rules.yaml"), written());
        properties.add("sluice.rules-file", () -> folder.resolve("rules.yaml").toString());
    }

    @LocalServerPort
    private int port;

    private RestTestClient http;

    @BeforeEach
    void theRulesAreThoseOfTheExample() throws IOException {
        http = RestTestClient.bindToServer()
                .baseUrl("http://127.0.0.1:" + port)
                .build();
        write(written());
        await().atMost(60, TimeUnit.SECONDS).until(() -> limitOf("somebody"), limit -> limit == 10);
    }

    @Test
    void usersOfATenantShareItsLimitAndHeadersDoNotChangeIt() {
        for (int i = 0; i < 5; i++) {
            report("ann").expectStatus().isOk();
            report("abe").expectStatus().isOk();
        }
        report("ann")
                .expectStatus()
                .isEqualTo(429)
                .expectHeader()
                .exists("Retry-After")
                .expectBody()
                .jsonPath("$.rule")
                .isEqualTo("tenant-minute");

        http.get()
                .uri("/api/report?tenant=bolt&plan=vip")
                .headers(headers -> headers.setBasicAuth("ann", "secret"))
                .header("X-Tenant", "bolt")
                .header("Tenant", "bolt")
                .header("X-Tenant-Id", "bolt")
                .header("Plan", "vip")
                .exchange()
                .expectStatus()
                .isEqualTo(429);
    }

    @Test
    void thePlanOfTheTenantSetsTheLimit() {
        for (int i = 0; i < 30; i++) {
            report("bob").expectStatus().isOk();
        }
        report("bob").expectStatus().isEqualTo(429);
    }

    @Test
    void aChangeOfTheFileTakesEffectSoonAndKeepsTheCounts() throws IOException {
        for (int i = 0; i < 10; i++) {
            report("cid").expectStatus().isOk();
        }
        report("cid").expectStatus().isEqualTo(429);

        write(written().replace("limit: 10", "limit: 12"));
        await().atMost(60, TimeUnit.SECONDS).until(() -> limitOf("somebody"), limit -> limit == 12);

        report("cid").expectStatus().isOk();
        report("cid").expectStatus().isOk();
        report("cid").expectStatus().isEqualTo(429);
    }

    @Test
    void aBrokenFileLeavesTheRulesInForce() throws IOException {
        double errors = metric("rate_limit_rule_errors_total");

        write(written().replace("limit: 10", "limit: ten"));
        await().atMost(60, TimeUnit.SECONDS)
                .until(() -> metric("rate_limit_rule_errors_total"), count -> count > errors);

        assertThat(limitOf("somebody")).isEqualTo(10);
    }

    @Test
    void refusesAnonymousCallersAndShowsRulesOnlyToOperators() {
        http.get().uri("/api/report").exchange().expectStatus().isUnauthorized();
        get("/actuator/sluice", "bob").expectStatus().isForbidden();
    }

    @Test
    void metricsNameRulesButNoTenants() {
        report("ann");

        assertThat(text("/actuator/prometheus"))
                .containsPattern("rate_limit_(allowed|rejected)_total\\{[^}]*rule=\"tenant-minute\"")
                .doesNotContain("acme");
    }

    /** Returns the limit of a tenant on the free plan, from the endpoint that explains and charges nothing. */
    private int limitOf(String tenant) {
        String answer = http.post()
                .uri("/actuator/sluice")
                .headers(headers -> headers.setBasicAuth("olga", "secret"))
                .contentType(MediaType.APPLICATION_JSON)
                .body("{\"attributes\": \"path=/api/report&tenant=" + tenant + "\"}")
                .exchange()
                .returnResult(String.class)
                .getResponseBody();
        return Integer.parseInt(answer.replaceFirst("(?s).*?\"limit\" *: *(\\d+).*", "$1"));
    }

    private double metric(String name) {
        return text("/actuator/prometheus")
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .sum();
    }

    private String text(String path) {
        return get(path, "olga").returnResult(String.class).getResponseBody();
    }

    private ResponseSpec report(String user) {
        return get("/api/report", user);
    }

    private ResponseSpec get(String path, String user) {
        return http.get()
                .uri(path)
                .headers(headers -> headers.setBasicAuth(user, "secret"))
                .exchange();
    }

    /** The rules of the example with an hour instead of a minute, because a busy machine may be slow. */
    private static String written() throws IOException {
        return Files.readString(WRITTEN).replace("window: 1m", "window: 1h");
    }

    /** Replaces the file at once, as editors do, so that it is never half written. */
    private static void write(String rules) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), rules);
        Files.move(next, folder.resolve("rules.yaml"), StandardCopyOption.ATOMIC_MOVE);
    }
}
