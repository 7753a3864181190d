package io.sluice.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.internal.Party;
import io.sluice.spring.named.DefaultRules;
import io.sluice.spring.named.MissingRule;
import io.sluice.spring.named.NamedRules;
import io.sluice.testkit.QuietClock;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Runs on a manual clock against a real server. */
class CallLimitsTest {

    private static final Limit ONE_A_SECOND = Limit.named("party").slidingWindow(1, Duration.ofSeconds(1));
    private static final Limit ONE_AT_A_TIME = Limit.named("party").concurrency(1, Duration.ofMinutes(1));

    private final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    private final Party party = new Party();

    @AfterEach
    void close() {
        party.close();
    }

    @Test
    void refusesAtOnceWithoutAMaximumWait() {
        RestClient client = blocking(LimitedCalls.of("party", ONE_A_SECOND));
        assertThat(get(client)).isEqualTo("hello");

        assertThatThrownBy(() -> get(client)).isInstanceOfSatisfying(RateLimitExceededException.class, refusal -> {
            assertThat(refusal.ruling().rule()).isNotNull().extracting("id").isEqualTo("party");
            assertThat(refusal.retryAfter()).isPresent();
        });
        assertThat(party.arrivals()).hasSize(1);
    }

    @Test
    void templatesAreLimitedToo() {
        RestTemplate template = new RestTemplate();
        template.getInterceptors().add(limits("rules: []").interceptor(LimitedCalls.of("party", ONE_A_SECOND)));
        assertThat(template.getForObject(party.uri(), String.class)).isEqualTo("hello");

        assertThatThrownBy(() -> template.getForObject(party.uri(), String.class))
                .isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void waitsOnItsThreadUntilItIsAdmitted() {
        RestClient client = blocking(LimitedCalls.of("party", ONE_A_SECOND).waitingUpTo(Duration.ofSeconds(5)));
        get(client);

        CompletableFuture<String> second = waiting(() -> get(client));
        assertThat(party.arrivals()).hasSize(1);
        clock.advance(Duration.ofSeconds(2));

        assertThat(second).succeedsWithin(Duration.ofMinutes(1)).isEqualTo("hello");
    }

    @Test
    void anInterruptedCallIsNotMade() throws InterruptedException {
        RestClient client = blocking(LimitedCalls.of("party", ONE_A_SECOND).waitingUpTo(Duration.ofSeconds(5)));
        get(client);
        AtomicReference<Throwable> seen = new AtomicReference<>();
        CountDownLatch over = new CountDownLatch(1);
        Thread waiter = new Thread(() -> {
            try {
                get(client);
            } catch (RuntimeException e) {
                seen.set(e);
            } finally {
                over.countDown();
            }
        });
        waiter.start();
        await().atMost(Duration.ofMinutes(1)).until(() -> waiter.getState() == Thread.State.WAITING);
        waiter.interrupt();

        assertThat(over.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(seen.get())
                .isInstanceOf(ResourceAccessException.class)
                .hasCauseInstanceOf(InterruptedIOException.class);
        clock.advance(Duration.ofSeconds(2));
        assertThat(get(client)).as("what the leaver would have had").isEqualTo("hello");
        assertThat(party.arrivals()).hasSize(2);
    }

    @Test
    void reactiveCallsWaitWithoutAThread() {
        WebClient client = reactive(LimitedCalls.of("party", ONE_A_SECOND).waitingUpTo(Duration.ofSeconds(5)));
        call(client).block(Duration.ofMinutes(1));

        List<CompletableFuture<String>> waiting = List.of(
                call(client).toFuture(), call(client).toFuture(), call(client).toFuture());
        assertThat(party.arrivals()).hasSize(1);
        for (int second = 1; second <= 3; second++) {
            clock.advance(Duration.ofMillis(1_100));
            int sofar = second;
            await().atMost(Duration.ofMinutes(1)).until(() -> party.arrivals().size() == 1 + sofar);
        }
        assertThat(waiting).allSatisfy(done -> assertThat(done).succeedsWithin(Duration.ofMinutes(1)));
    }

    @Test
    void reactiveCallsAreRefusedIfTheWaitWouldBeTooLong() {
        WebClient client = reactive(LimitedCalls.of("party", ONE_A_SECOND).waitingUpTo(Duration.ofMillis(500)));
        call(client).block(Duration.ofMinutes(1));

        assertThatThrownBy(() -> call(client).block(Duration.ofMinutes(1)))
                .isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void cancelledCallsLeaveTheQueue() {
        WebClient client = reactive(LimitedCalls.of("party", ONE_A_SECOND).waitingUpTo(Duration.ofSeconds(5)));
        call(client).block(Duration.ofMinutes(1));
        Disposable leaver = call(client).subscribe();
        leaver.dispose();
        CompletableFuture<String> next = call(client).toFuture();
        clock.advance(Duration.ofMillis(1_100));

        assertThat(next).succeedsWithin(Duration.ofMinutes(1));
        assertThat(party.arrivals()).hasSize(2);
    }

    @Test
    void everyRetryCounts() {
        WebClient client =
                reactive(LimitedCalls.of("party", Limit.named("party").slidingWindow(3, Duration.ofSeconds(1))));
        party.answers(exchange -> exchange.sendResponseHeaders(500, -1));

        assertThatThrownBy(() -> call(client).retry(2).block(Duration.ofMinutes(1)))
                .hasMessageContaining("500");
        assertThat(party.arrivals()).hasSize(3);
        assertThatThrownBy(() -> call(client).block(Duration.ofMinutes(1)))
                .isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void holdsPermitsUntilTheAnswerIsClosed() {
        RestClient client = blocking(LimitedCalls.of("party", ONE_AT_A_TIME));
        ClientHttpResponse open = client.get().uri(party.uri()).exchange((request, response) -> response, false);
        clock.advance(Duration.ofMinutes(5));
        assertThatThrownBy(() -> get(client)).isInstanceOf(RateLimitExceededException.class);
        open.close();

        assertThat(get(client)).isEqualTo("hello");
        assertThat(get(client)).isEqualTo("hello");
    }

    @Test
    void failedCallsGiveTheirPermitsBack() {
        RestClient client = blocking(LimitedCalls.of("party", ONE_AT_A_TIME));
        party.answers(exchange -> exchange.close());
        assertThatThrownBy(() -> get(client)).isInstanceOf(ResourceAccessException.class);
        assertThatThrownBy(() -> get(client)).isInstanceOf(ResourceAccessException.class);
    }

    @Test
    void reactiveCallsHoldPermitsUntilTheBodyEnds() {
        WebClient client = reactive(LimitedCalls.of("party", ONE_AT_A_TIME));
        CountDownLatch rest = new CountDownLatch(1);
        party.answers(exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write("first\n".getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            try {
                rest.await(120, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        CompletableFuture<String> open = call(client).toFuture();
        await().atMost(Duration.ofMinutes(1)).until(() -> party.arrivals().size() == 1);
        assertThatThrownBy(() -> call(client).block(Duration.ofMinutes(1)))
                .isInstanceOf(RateLimitExceededException.class);
        rest.countDown();
        assertThat(open).succeedsWithin(Duration.ofMinutes(1));

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() ->
                        assertThat(call(client).block(Duration.ofMinutes(1))).contains("first"));
    }

    @Test
    void cancelledReactiveCallsGiveTheirPermitsBack() {
        WebClient client = reactive(LimitedCalls.of("party", ONE_AT_A_TIME));
        CountDownLatch never = new CountDownLatch(1);
        party.answers(exchange -> {
            try {
                never.await(120, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Disposable hanging = call(client).subscribe();
        await().atMost(Duration.ofMinutes(1)).until(() -> party.arrivals().size() == 1);
        hanging.dispose();
        party.answers(exchange -> exchange.sendResponseHeaders(200, -1));

        call(client).block(Duration.ofMinutes(1));
        never.countDown();
        assertThat(party.arrivals()).hasSize(2);
    }

    @Test
    void pausesForAsLongAsTheThirdPartyAsks() {
        RestClient client =
                blocking(LimitedCalls.of("party", Limit.named("party").slidingWindow(100, Duration.ofSeconds(1)))
                        .waitingUpTo(Duration.ofSeconds(30))
                        .heedingRetryAfter());
        party.answers(exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "20");
            exchange.sendResponseHeaders(503, -1);
        });
        assertThatThrownBy(() -> get(client)).hasMessageContaining("503");
        party.answers(exchange -> exchange.sendResponseHeaders(204, -1));
        CompletableFuture<String> next = waiting(() -> {
            get(client);
            return "done";
        });
        clock.advance(Duration.ofSeconds(19));
        assertThat(party.arrivals()).hasSize(1);
        clock.advance(Duration.ofSeconds(2));

        assertThat(next).succeedsWithin(Duration.ofMinutes(1));
        assertThat(party.arrivals()).hasSize(2);
    }

    @Test
    void aRetryAfterForOneClientPausesAllClientsOfItsLimit() {
        CallLimits limits = limits("rules: []");
        LimitedCalls calls = LimitedCalls.of("party", Limit.named("party").slidingWindow(100, Duration.ofSeconds(1)))
                .heedingRetryAfter();
        RestClient hearing = RestClient.builder()
                .requestInterceptor(limits.interceptor(calls))
                .build();
        WebClient pausing = WebClient.builder()
                .filter(new ReactiveCallLimits(limits).filter(calls))
                .build();
        party.answers(exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "20");
            exchange.sendResponseHeaders(429, -1);
        });
        assertThatThrownBy(() -> get(hearing)).hasMessageContaining("429");
        party.answers(exchange -> exchange.sendResponseHeaders(204, -1));

        assertThatThrownBy(() -> call(pausing).block(Duration.ofMinutes(1)))
                .isInstanceOf(RateLimitExceededException.class);
        assertThat(party.arrivals()).hasSize(1);
        clock.advance(Duration.ofSeconds(21));
        call(pausing).block(Duration.ofMinutes(1));
        assertThat(party.arrivals()).hasSize(2);
    }

    @Test
    void configuredCallsPauseByHostOnlyWherePerHostSaysSo() {
        OutboundCall one = new OutboundCall(HttpMethod.GET, URI.create("http://a.example/"), new HttpHeaders());
        OutboundCall other = new OutboundCall(HttpMethod.GET, URI.create("http://b.example/"), new HttpHeaders());
        LimitedCalls calls = LimitedCalls.of("party", ONE_A_SECOND);
        Pauses pauses = new Pauses(clock);
        pauses.heard(calls.heedingRetryAfter(), one, "20");
        assertThat(pauses.left(calls.heedingRetryAfter(), other)).isZero();
        pauses.heard(calls.heedingRetryAfterTogether(), one, "20");
        assertThat(pauses.left(calls.heedingRetryAfterTogether(), other)).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void refusesIfThePauseIsLongerThanTheMaximumWait() {
        RestClient client =
                blocking(LimitedCalls.of("party", Limit.named("party").slidingWindow(100, Duration.ofSeconds(1)))
                        .heedingRetryAfter());
        party.answers(exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "99999999999999999999");
            exchange.sendResponseHeaders(429, -1);
        });
        assertThatThrownBy(() -> get(client)).hasMessageContaining("429");

        assertThatThrownBy(() -> get(client))
                .isInstanceOfSatisfying(RateLimitExceededException.class, refusal -> assertThat(refusal.retryAfter())
                        .hasValue(Duration.ofHours(1)));
        assertThat(party.arrivals()).hasSize(1);
    }

    @Test
    void appliesRulesInForceByName() {
        CallLimits limits = limits("""
                rules:
                  - id: party
                    service: somebody-else
                    limits: [{ by: [host, header.x-account], limit: 1, window: 1s }]
                """);
        RestClient client = RestClient.builder()
                .requestInterceptor(limits.interceptor(LimitedCalls.of("party")))
                .build();
        for (String account : List.of("a", "b")) {
            client.get()
                    .uri(party.uri())
                    .header("X-Account", account)
                    .retrieve()
                    .toBodilessEntity();
        }
        assertThatThrownBy(() -> client.get()
                        .uri(party.uri())
                        .header("X-Account", "a")
                        .retrieve()
                        .toBodilessEntity())
                .isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void callsPassWhileTheirRuleIsMissingIfTheyMay() {
        RestClient client = RestClient.builder()
                .requestInterceptor(limits("rules: []").interceptor(LimitedCalls.of("nowhere")))
                .build();
        assertThat(get(client)).isEqualTo("hello");
        assertThat(get(client)).isEqualTo("hello");
    }

    private RestClient blocking(LimitedCalls calls) {
        return RestClient.builder()
                .requestInterceptor(limits("rules: []").interceptor(calls))
                .build();
    }

    private WebClient reactive(LimitedCalls calls) {
        return WebClient.builder()
                .filter(new ReactiveCallLimits(limits("rules: []")).filter(calls))
                .build();
    }

    private CallLimits limits(String rules) {
        RuleSet set = new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("test", rules)).rules());
        Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());
        return new CallLimits(
                new Evaluator(() -> set, limiter, null, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> {}),
                clock,
                new NamedRules(() -> set, MissingRule.WARN, DefaultRules.NONE));
    }

    private String get(RestClient client) {
        return client.get().uri(party.uri()).retrieve().body(String.class);
    }

    private Mono<String> call(WebClient client) {
        return client.get().uri(party.uri()).retrieve().bodyToMono(String.class);
    }

    /** Starts a call and returns once its thread waits in the queue. */
    private static CompletableFuture<String> waiting(Supplier<String> call) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                answer.complete(call.get());
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        caller.start();
        await().atMost(Duration.ofMinutes(1)).until(() -> caller.getState() == Thread.State.WAITING);
        return answer;
    }
}
