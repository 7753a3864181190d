package io.sluice.envoy.server;

import static io.sluice.envoy.decide.Desk.d;
import static io.sluice.envoy.decide.Desk.request;
import static io.sluice.envoy.decide.Desk.shown;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.ManualClock;
import io.sluice.envoy.decide.CountingMode;
import io.sluice.envoy.decide.Desk;
import io.sluice.envoy.decide.RateLimitDecider;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls beyond the bound, over real connections. The store answers only when the test says so. */
@Timeout(300)
class SheddingTest {

    private static final int BOUND = 3;

    private static final RuleSet RULES = Desk.rules("""
            rules:
              - id: d.closed
                envoy: { domain: d, path: [{ key: closed }] }
                on_failure: closed
                limits: [{ by: descriptor.closed, algorithm: fixed_window, limit: 10, window: 1d }]
              - id: d.open
                envoy: { domain: d, path: [{ key: open }] }
                on_failure: open
                limits: [{ by: descriptor.open, algorithm: fixed_window, limit: 10, window: 1d }]
              - id: d.local
                envoy: { domain: d, path: [{ key: local }] }
                on_failure: local
                limits: [{ by: descriptor.local, algorithm: fixed_window, limit: 2, window: 1d }]
              - id: d.here
                mode: local
                envoy: { domain: d, path: [{ key: here }] }
                limits: [{ by: descriptor.here, algorithm: fixed_window, limit: 2, window: 1d }]
            """);

    /** Its time stands still, so no deadline passes. */
    private final ManualClock clock = QuietClock.at(1_700_000_010_000_000L);

    private final SilentEngine store = new SilentEngine();
    private final List<Ruling.Settled> told = new CopyOnWriteArrayList<>();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    @ParameterizedTest
    @EnumSource(CountingMode.class)
    void failurePoliciesDecideAboutCallsBeyondTheBoundWithoutTheStore(CountingMode counting) throws Exception {
        RateLimitServiceGrpc.RateLimitServiceFutureStub service = service(counting);
        List<CompletableFuture<RateLimitResponse>> waiting = new ArrayList<>();
        for (int i = 0; i < BOUND; i++) {
            waiting.add(CompletableFuture.supplyAsync(() -> ask(service, d("closed=x"))));
        }
        await().atMost(2, TimeUnit.MINUTES).until(() -> store.asked.size() == BOUND);

        assertThat(shown(ask(service, d("closed=x")))).isEqualTo("OVER 10/DAY 0");
        assertThat(shown(ask(service, d("open=x")))).isEqualTo("OK 10/DAY 10");
        assertThat(shown(ask(service, d("local=x")))).isEqualTo("OK 2/DAY 0");
        assertThat(shown(ask(service, d("local=x")))).isEqualTo("OVER 2/DAY 0");
        assertThat(shown(ask(service, d("here=x")))).isEqualTo("OK 2/DAY 1");
        assertThat(shown(ask(service, d("other=x")))).isEqualTo("OK 0");
        assertThatThrownBy(() -> ask(service)).hasMessageContaining("INVALID_ARGUMENT");
        assertThat(store.asked).hasSize(BOUND);
        assertThat(told)
                .extracting(Ruling.Settled::degraded)
                .containsExactly(
                        Evaluator.OVERLOAD, Evaluator.OVERLOAD, Evaluator.OVERLOAD, Evaluator.OVERLOAD, null, null);

        store.answerAll();
        for (CompletableFuture<RateLimitResponse> each : waiting) {
            assertThat(shown(each.get(2, TimeUnit.MINUTES))).isEqualTo("OK 10/DAY 9");
        }
        CompletableFuture<RateLimitResponse> next = CompletableFuture.supplyAsync(() -> ask(service, d("closed=x")));
        await("the store is asked again").atMost(2, TimeUnit.MINUTES).until(() -> store.asked.size() == BOUND + 1);
        store.answerAll();
        assertThat(shown(next.get(2, TimeUnit.MINUTES))).isEqualTo("OK 10/DAY 9");
    }

    private RateLimitServiceGrpc.RateLimitServiceFutureStub service(CountingMode counting) throws Exception {
        Limiter here = new Limiter(new LocalEngine(clock), clock, List.of());
        Limiter shared = new Limiter(store, clock, List.of());
        Evaluator evaluator = new Evaluator(
                () -> RULES, here, shared, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> told.add(ruling));
        RateLimitCalls calls = new RateLimitCalls(new RateLimitDecider(evaluator, counting), () -> true, BOUND);
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(calls)
                .build()
                .start();
        opened.add(server::shutdownNow);
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        "127.0.0.1", server.getPort(), InsecureChannelCredentials.create())
                .build();
        opened.add(channel::shutdownNow);
        return RateLimitServiceGrpc.newFutureStub(channel);
    }

    private static RateLimitResponse ask(
            RateLimitServiceGrpc.RateLimitServiceFutureStub service, RateLimitDescriptor... descriptors) {
        try {
            return service.shouldRateLimit(request("d", descriptors)).get(2, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /** Answers when the test tells it to. */
    private static final class SilentEngine implements Engine {

        private final List<CompletableFuture<Outcome>> asked = new CopyOnWriteArrayList<>();

        void answerAll() {
            asked.forEach(each ->
                    each.complete(new EngineDecision(true, List.of(new Verdict(true, 1, 9, 0, 0, 0, 1)), 1, null)));
        }

        @Override
        public String name() {
            return "silent";
        }

        @Override
        public Answer decide(Ask ask) {
            CompletableFuture<Outcome> answer = new CompletableFuture<>();
            asked.add(answer);
            return new PendingOutcome(answer);
        }

        @Override
        public CompletionStage<Boolean> giveBack(List<Charge> charges) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public CompletionStage<Boolean> renew(Charge charge) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public void close() {}
    }
}
