package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spring.internal.Settlements;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Responses that settle what their requests reserved, on every server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SettledAnswers {

    static final String RULES = """
            rules:
              - id: chat
                resource: /chat/**
                limits:
                  - { id: requests, algorithm: fixed_window, limit: 1000, window: 1h }
                  - { id: tokens, algorithm: fixed_window, limit: 1000000, window: 1h,
                      cost: { reserve: json.max_tokens, default: 50, settle: answer.json.usage.total_tokens } }
              - id: report
                resource: /report
                limits:
                  - { id: rows, algorithm: fixed_window, limit: 1000, window: 1h,
                      cost: { reserve: 10, settle: answer.header.x-rows } }
            """;

    private final RunningApp app = app();
    private final List<String> settlements = app.bean(Settlements.class).all();

    /** Starts the application. */
    abstract RunningApp app();

    final RunningApp running() {
        return app;
    }

    @AfterAll
    void stop() {
        app.close();
    }

    @BeforeEach
    void forget() {
        settlements.clear();
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Model.class)
    static class Answers {

        @Bean
        Settlements settlements() {
            return new Settlements();
        }
    }

    @RestController
    static class Model {

        private final AtomicReference<Sinks.@Nullable Many<String>> events = new AtomicReference<>();

        public AtomicReference<Sinks.@Nullable Many<String>> events() {
            return events;
        }

        @PostMapping("/chat/whole")
        ResponseEntity<String> whole(@RequestBody String prompt) {
            return ResponseEntity.ok()
                    .contentType(MediaType.APPLICATION_JSON)
                    .body("{\"prompt\":" + prompt + ",\"usage\":{\"total_tokens\":30}}");
        }

        @GetMapping("/chat/large/{size}")
        ResponseEntity<byte[]> large(@PathVariable int size) {
            String text = "{\"text\":\"" + "x".repeat(size) + "\",\"usage\":{\"total_tokens\":31}}";
            return ResponseEntity.ok()
                    .contentType(MediaType.APPLICATION_JSON)
                    .body(text.getBytes(StandardCharsets.UTF_8));
        }

        @GetMapping("/chat/later")
        Mono<ResponseEntity<String>> later() {
            return Mono.just(ResponseEntity.ok()
                            .contentType(MediaType.APPLICATION_JSON)
                            .body("{\"usage\":{\"total_tokens\":32}}"))
                    .delayElement(Duration.ofMillis(1));
        }

        @GetMapping(path = "/chat/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> stream() {
            Sinks.Many<String> own = Sinks.many().unicast().onBackpressureBuffer();
            events.set(own);
            return own.asFlux();
        }

        @GetMapping("/chat/without")
        String without() {
            return "no tokens";
        }

        @GetMapping("/chat/failing")
        String failing() {
            throw new IllegalStateException("no model");
        }

        @GetMapping("/report")
        ResponseEntity<String> report() {
            return ResponseEntity.ok().header("X-Rows", "7").body("rows");
        }
    }

    private void awaitSettlements(String... expected) {
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> settlements.size() >= expected.length);
        assertThat(settlements).containsExactly(expected);
    }

    @Test
    void aJsonResponseSettlesWhatTheBodyOfTheRequestReserved() throws Exception {
        HttpResponse<String> answer = app.post("/chat/whole", "application/json", "{\"max_tokens\":100}");
        assertThat(answer.body()).isEqualTo("{\"prompt\":{\"max_tokens\":100},\"usage\":{\"total_tokens\":30}}");
        assertThat(answer.headers().allValues("RateLimit").toString()).contains("chat.tokens");
        awaitSettlements("chat.tokens 100 -> 30");
    }

    @Test
    void aLargeResponseArrivesWholeAndSettles() throws Exception {
        assertThat(app.get("/chat/large/300000").body())
                .hasSizeGreaterThan(300_000)
                .endsWith("31}}");
        awaitSettlements("chat.tokens 50 -> 31");
    }

    @Test
    void anAsynchronousResponseSettles() throws Exception {
        assertThat(app.get("/chat/later").body()).contains("32");
        awaitSettlements("chat.tokens 50 -> 32");
    }

    @Test
    void aStreamSettlesByItsLastFigureAndIsNotHeldBack() throws Exception {
        try (BufferedReader lines = stream("{\"usage\":{\"total_tokens\":5}}")) {
            assertThat(lines.readLine()).isEqualTo("data:{\"usage\":{\"total_tokens\":5}}");
            assertThat(settlements).isEmpty();
            emit("{\"text\":\"Hello\"}");
            emit("{\"usage\":{\"total_tokens\":60}}");
            emit("[DONE]");
            events().tryEmitComplete().orThrow();
            assertThat(lines.lines().toList()).contains("data:[DONE]");
        }
        awaitSettlements("chat.tokens 50 -> 60");
    }

    /** Begins a stream with an event. The head of the response comes with it. */
    private BufferedReader stream(String event) throws Exception {
        AtomicReference<Sinks.@Nullable Many<String>> events =
                app.bean(Model.class).events();
        events.set(null);
        CompletableFuture<HttpResponse<InputStream>> coming =
                app.client().sendAsync(app.request("/chat/stream").build(), HttpResponse.BodyHandlers.ofInputStream());
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> events.get() != null);
        emit(event);
        return new BufferedReader(
                new InputStreamReader(coming.get(1, TimeUnit.MINUTES).body(), StandardCharsets.UTF_8));
    }

    private void emit(String event) {
        events().tryEmitNext(event).orThrow();
    }

    private Sinks.Many<String> events() {
        return Objects.requireNonNull(app.bean(Model.class).events().get());
    }

    @Test
    void aCallerThatLeavesSettlesByWhatWasSent() throws Exception {
        try (BufferedReader lines = stream("{\"usage\":{\"total_tokens\":5}}")) {
            assertThat(lines.readLine()).contains("5");
        }
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
            // A servlet learns that the caller has left when it writes.
            events().tryEmitNext("{\"text\":\"still there?\"}");
            return !settlements.isEmpty();
        });
        awaitSettlements("chat.tokens 50 -> 5");
    }

    @Test
    void aResponseWithoutAFigureLeavesTheReservation() throws Exception {
        assertThat(app.get("/chat/without").body()).isEqualTo("no tokens");
        awaitSettlements("chat.tokens 50 no-figure");
    }

    @Test
    void aFailureLeavesTheReservation() throws Exception {
        assertThat(app.get("/chat/failing").statusCode()).isEqualTo(500);
        awaitSettlements("chat.tokens 50 aborted");
    }

    @Test
    void aHeaderSettles() throws Exception {
        assertThat(app.get("/report").headers().firstValue("X-Rows")).hasValue("7");
        awaitSettlements("report.rows 10 -> 7");
    }
}
