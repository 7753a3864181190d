package io.sluice.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class QuickstartTest {

    /** Limits use this clock, so the minute lasts as long as the test. */
    @TestConfiguration
    static class Time {
        @Bean
        ManualClock clock() {
            return ManualClock.at(1_800_000_000_000_000L);
        }
    }

    @LocalServerPort
    private int port;

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void refusesTheSixthCallAndSaysWhenToRetry() throws Exception {
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> answer = hello();
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("Hello, world!");
        }
        HttpResponse<String> refusal = hello();
        assertThat(refusal.statusCode()).isEqualTo(429);
        assertThat(refusal.headers().firstValueAsLong("Retry-After").orElseThrow())
                .isBetween(1L, 66L);
        assertThat(refusal.headers().firstValue("RateLimit-Policy")).contains("\"hello.0\";q=5;w=60");
        assertThat(refusal.headers().firstValue("RateLimit").orElseThrow()).startsWith("\"hello.0\";r=0;t=");
        assertThat(refusal.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(refusal.body()).contains("\"status\":429", "\"title\":\"Too Many Requests\"", "\"rule\":\"hello\"");
    }

    private HttpResponse<String> hello() throws Exception {
        // A header that anyone can send does not change who the caller is.
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/hello"))
                .header("X-Forwarded-For", "203.0.113." + System.nanoTime() % 250)
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
