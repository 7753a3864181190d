package io.sluice.node.gateway.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.sluice.node.gateway.RepliesClient;
import io.sluice.node.gateway.spi.GatewayCall;
import io.sluice.node.gateway.spi.GatewayHandler;
import io.sluice.node.gateway.spi.Phase;
import io.sluice.node.gateway.spi.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class HandlerChainTest {

    private static final Logger PROVOKED = (Logger) LoggerFactory.getLogger(FailureLog.class);

    @BeforeAll
    static void silenceProvokedFailures() {
        PROVOKED.setLevel(Level.OFF);
    }

    @AfterAll
    static void restoreLog() {
        PROVOKED.setLevel(null);
    }

    private final ConcurrentLinkedQueue<String> heard = new ConcurrentLinkedQueue<>();

    private record Step(
            String name,
            Phase phase,
            int order,
            boolean parallel,
            boolean failFast,
            Function<GatewayCall, CompletionStage<Verdict>> action)
            implements GatewayHandler {
        @Override
        public CompletionStage<Verdict> handle(GatewayCall call) {
            return action.apply(call);
        }
    }

    private Step step(String name, Phase phase, int order, Function<GatewayCall, CompletionStage<Verdict>> action) {
        return new Step(name, phase, order, false, true, action);
    }

    private Step noting(String name, Phase phase, int order) {
        return step(name, phase, order, call -> {
            heard.add(name);
            return done(Verdict.GO_ON);
        });
    }

    private static CompletionStage<Verdict> done(Verdict verdict) {
        return CompletableFuture.completedFuture(verdict);
    }

    private static Verdict answer(int status) {
        return new Verdict.Answer(status, Map.of("X-By", "handler"), "said " + status);
    }

    @Test
    void handlersRunByPhaseAndThenByOrder() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .handlers(
                        noting("after", Phase.AFTER, 0),
                        noting("before", Phase.BEFORE, 0),
                        noting("authenticated", Phase.AUTHENTICATED, 0),
                        noting("third", Phase.PARSED, 3),
                        noting("first", Phase.PARSED, -1),
                        noting("second", Phase.PARSED, 2))
                .start()) {
            assertThat(gateway.get("/a").status()).isEqualTo(200);
            assertThat(heard).containsExactly("first", "second", "third", "authenticated", "before", "after");
        }
    }

    @Test
    void parallelNeighboursReallyRunAtOnce() throws Exception {
        List<CompletableFuture<Verdict>> open =
                List.of(new CompletableFuture<>(), new CompletableFuture<>(), new CompletableFuture<>());
        List<GatewayHandler> handlers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int at = i;
            handlers.add(new Step("p" + i, Phase.PARSED, i, true, true, call -> {
                heard.add("p" + at);
                return open.get(at);
            }));
        }
        handlers.add(noting("last", Phase.PARSED, 9));
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                        .handlers(handlers.toArray(GatewayHandler[]::new))
                        .start();
                RepliesClient client = gateway.connect()) {
            client.write("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
            await().until(() -> heard.size() == 3);
            open.get(2).complete(Verdict.GO_ON);
            open.get(0).complete(Verdict.GO_ON);
            assertThat(heard).doesNotContain("last");
            open.get(1).complete(Verdict.GO_ON);
            assertThat(client.read().status()).isEqualTo(200);
            assertThat(heard).containsExactly("p0", "p1", "p2", "last");
        }
    }

    @Test
    void failFastAnswersBeforeItsParallelNeighboursComplete() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .handlers(
                        new Step("never", Phase.PARSED, 0, true, true, call -> new CompletableFuture<>()),
                        new Step("refuses", Phase.PARSED, 1, true, true, call -> done(answer(418))),
                        noting("next", Phase.PARSED, 2))
                .start()) {
            RepliesClient.Reply reply = gateway.get("/a");
            assertThat(reply.status()).isEqualTo(418);
            assertThat(reply.header("x-by")).isEqualTo("handler");
            assertThat(reply.body()).isEqualTo("said 418");
            assertThat(heard).isEmpty();
            assertThat(gateway.forwarded()).isZero();
        }
    }

    @Test
    void aRefusalThatIsNotFailFastWaitsForTheRestOfItsPhase() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .handlers(
                        new Step("slow", Phase.PARSED, 0, false, false, call -> done(answer(418))),
                        new Step("slow too", Phase.PARSED, 1, false, false, call -> done(answer(419))),
                        noting("rest", Phase.PARSED, 2),
                        noting("next", Phase.BEFORE, 0))
                .start()) {
            assertThat(gateway.get("/a").status()).isEqualTo(418);
            assertThat(heard).containsExactly("rest");
            assertThat(gateway.forwarded()).isZero();
        }
    }

    @Test
    void aHandlerThatFailsInAnyWayAnswers500AndNothingPasses() throws Exception {
        List<Function<GatewayCall, CompletionStage<Verdict>>> ways = List.of(
                call -> {
                    throw new IllegalStateException("broken");
                },
                call -> {
                    throw new AssertionError("broken");
                },
                call -> CompletableFuture.failedFuture(new IllegalStateException("broken")),
                call -> null,
                call -> done(null),
                call -> CompletableFuture.supplyAsync(() -> {
                    throw new IllegalStateException("broken");
                }),
                call -> done(new Verdict.Answer(200, Map.of("Bad\r\nName", "x"), "")),
                call -> done(new Verdict.Answer(200, Map.of("Content-Length", "7"), "")));
        for (Phase phase : Phase.values()) {
            for (Function<GatewayCall, CompletionStage<Verdict>> way : ways) {
                try (GatewayUnderTest gateway = new GatewayUnderTest()
                        .handlers(step("broken", phase, 0, way))
                        .start()) {
                    RepliesClient.Reply reply = gateway.get("/a");
                    assertThat(reply.status()).isEqualTo(500);
                    assertThat(reply.body()).doesNotContain("broken").contains("\"status\":500");
                    assertThat(gateway.forwarded()).isEqualTo(phase == Phase.AFTER ? 1 : 0);
                }
            }
        }
    }

    @Test
    void afterOtherThreadsTheRequestReturnsToItsEventLoop() throws Exception {
        AtomicReference<String> next = new AtomicReference<>();
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .handlers(
                        step("foreign", Phase.PARSED, 0, call -> CompletableFuture.supplyAsync(() -> Verdict.GO_ON)),
                        step("next", Phase.PARSED, 1, call -> {
                            next.set(Thread.currentThread().getName());
                            return done(Verdict.GO_ON);
                        }))
                .start()) {
            assertThat(gateway.get("/a").told("loop")).isEqualTo("true");
            assertThat(next.get()).startsWith("vert.x-eventloop-thread");
        }
    }

    @Test
    void anAnswerAfterTheCallerDisconnectedDoesNothing() throws Exception {
        CompletableFuture<Verdict> open = new CompletableFuture<>();
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .handlers(step("waits", Phase.PARSED, 0, call -> {
                    heard.add("started");
                    return open;
                }))
                .start()) {
            try (RepliesClient client = gateway.connect()) {
                client.write("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
                await().until(() -> !heard.isEmpty());
            }
            await().until(() -> gateway.statuses().contains(499));
            open.complete(Verdict.GO_ON);
            assertThat(gateway.get("/b", "X: y").status()).isEqualTo(200);
            assertThat(gateway.forwarded()).isEqualTo(1);
        }
    }

    @Test
    void aHandlerThatNeverCompletesIsNotAwaitedLongerThanTheRouteAllows() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .requestTimeout(Duration.ofMillis(50))
                .handlers(step("silent", Phase.BEFORE, 0, call -> new CompletableFuture<>()))
                .start()) {
            assertThat(gateway.get("/a").status()).isEqualTo(504);
            assertThat(gateway.forwarded()).isZero();
        }
    }

    @Test
    void handlersSeeTheCallAndChangeTheForwardedRequestAndTheAnswer() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .handlers(
                        step("sets", Phase.BEFORE, 0, call -> {
                            call.forwardHeader("X-To", call.method() + call.host() + call.path());
                            call.answerHeader("X-Back", call.id());
                            heard.add(String.valueOf(call.status()));
                            return done(Verdict.GO_ON);
                        }),
                        step("sees", Phase.AFTER, 0, call -> {
                            heard.add(String.valueOf(call.status()));
                            call.answerHeader("X-Late", "yes");
                            return done(Verdict.GO_ON);
                        }))
                .start()) {
            RepliesClient.Reply reply = gateway.get("/a/%62/", "X-Request-Id: mine");
            assertThat(reply.told("set")).isEqualTo("[X-To=GETshop.example/a/b]");
            assertThat(reply.header("x-back")).isEqualTo("mine");
            assertThat(reply.header("x-late")).isEqualTo("yes");
            assertThat(heard).containsExactly("OptionalInt.empty", "OptionalInt[200]");
        }
    }

    @Test
    void handlersCannotSetHeadersThatControlFraming() throws Exception {
        for (String name : List.of("Host", "content-length", "Transfer-Encoding", "Connection", "a b", "")) {
            try (GatewayUnderTest gateway = new GatewayUnderTest()
                    .handlers(step("sets", Phase.BEFORE, 0, call -> {
                        call.forwardHeader(name, "5");
                        return done(Verdict.GO_ON);
                    }))
                    .start()) {
                assertThat(gateway.get("/a").status()).isEqualTo(500);
                assertThat(gateway.forwarded()).isZero();
            }
        }
    }

    @Test
    void attributesOfHandlersCountForRules() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .rules("rules: [{ id: r, match: { score: bad }, action: deny }]")
                .handlers(step("scores", Phase.AUTHENTICATED, 0, call -> {
                    call.attribute("score", call.headers("x-score").get(0));
                    return done(Verdict.GO_ON);
                }))
                .start()) {
            assertThat(gateway.get("/a", "X-Score: good").status()).isEqualTo(200);
            assertThat(gateway.get("/a", "X-Score: bad").status()).isEqualTo(403);
        }
    }
}
