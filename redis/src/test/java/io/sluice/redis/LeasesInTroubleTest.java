package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.decorator.FallbackEngine;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.lease.Leases;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.wire.FailureNames;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases on a Redis that is full, hangs or has lost everything. */
final class LeasesInTroubleTest {

    private static final LeasePolicy POLICY = new LeasePolicy(0, 0.1, 300_000);
    private static final Limit WINDOW = Limit.named("window").fixedWindow(1_000_000, Duration.ofDays(300));
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** How long a caller waits; long in tests where a slow machine must not look like a Redis that hangs. */
    private Duration deadline = PATIENCE;

    private long admitted;
    private long refused;
    private RedisServer redis;
    private RedisEngine engine;
    private Leases leases;
    private FallbackEngine front;

    @BeforeEach
    void connect() throws Exception {
        redis = RedisServer.start();
        connect(RedisOptions.defaults().slow(PATIENCE));
    }

    private void connect(RedisOptions options) throws Exception {
        Clock clock = Clock.system();
        engine = RedisEngine.connect(redis.uri(), "trouble", clock, options);
        leases = engine.leasesInFrontOf(engine);
        front = new FallbackEngine(leases, clock);
        engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() {
        front.close();
        redis.close();
    }

    @Test
    void existingCountsAreDecidedWhileMemoryIsFull() throws Exception {
        untilLeased();
        redis.command("CONFIG", "SET", "maxmemory", "1");
        for (int i = 0; i < 500; i++) {
            ask();
        }
        // There is no memory for new records, so nothing is leased.
        Awaitility.await().atMost(PATIENCE).until(() -> leases.outstanding() == 0);
        RedisKeys names = new RedisKeys("trouble");
        redis.command("DEL", names.leases(names.of(WINDOW, "k")));
        for (int i = 0; i < 500; i++) {
            assertThat(ask().degraded()).isNull();
        }
        assertThat(leases.outstanding()).isZero();
        redis.command("CONFIG", "SET", "maxmemory", "0");
        untilLeased();
        assertCharged(admitted, admitted);
    }

    @Test
    void aRedisThatHangsCostsNoMoreThanWhatWasUnderWay() throws Exception {
        front.close();
        connect(RedisOptions.defaults());
        deadline = Duration.ofMillis(100);
        for (int round = 0; round < 3; round++) {
            untilLeased();
            redis.freeze();
            // Until the leases are over and the connection was given up.
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> !ask().allowed()
                            && leases.outstanding() == 0
                            && engine.state().reason().equals(FailureNames.DISCONNECTED));
            redis.thaw();
            Awaitility.await().atMost(PATIENCE).until(engine::isReady);
        }
        untilLeased();
        assertThat(refused).isPositive();
        assertCharged(admitted, admitted + refused);
    }

    @Test
    void aRedisThatLostEverythingIsAskedAgain() throws Exception {
        untilLeased();
        redis.kill();
        Awaitility.await().atMost(PATIENCE).until(() -> leases.outstanding() == 0 && !ask().allowed());
        redis.restart();
        Awaitility.await().atMost(PATIENCE).until(engine::isReady);
        admitted = 0;
        untilLeased();
        assertCharged(admitted, admitted);
    }

    /** Asserts the charges once everything unspent is returned. */
    private void assertCharged(long atLeast, long atMost) {
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(leases.outstanding()).isZero();
            Ask look = Ask.charging(List.of(Demand.of(WINDOW, "k", 1))).looking();
            long left = decided(engine.decide(look)).verdicts().get(0).remaining();
            assertThat(WINDOW.capacity() - left).isBetween(atLeast, atMost);
        });
    }

    private void untilLeased() {
        long until = System.nanoTime() + PATIENCE.toNanos();
        do {
            ask();
        } while (leases.outstanding() == 0 && System.nanoTime() - until < 0);
        assertThat(leases.outstanding()).isPositive();
    }

    private EngineDecision ask() {
        Ask ask = Ask.charging(List.of(Demand.of(WINDOW, "k", 1).leasedBy(POLICY)))
                .dueAt(System.nanoTime() + deadline.toNanos())
                .onFailure(FailurePolicy.CLOSED, 1);
        EngineDecision decided = decided(front.decide(ask));
        admitted += decided.allowed() ? 1 : 0;
        refused += decided.allowed() ? 0 : 1;
        return decided;
    }

    private static EngineDecision decided(Answer answer) {
        CompletableFuture<Outcome> outcome = answer instanceof PendingOutcome pending
                ? pending.outcome().toCompletableFuture()
                : CompletableFuture.completedFuture((Outcome) answer);
        return (EngineDecision) outcome.orTimeout(60, TimeUnit.SECONDS).join();
    }
}
