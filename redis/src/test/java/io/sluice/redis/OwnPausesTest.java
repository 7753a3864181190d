package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.RedisLink;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pause of this process is not mistaken for a slow Redis, and a Redis that hangs is noticed. */
@Timeout(300)
final class OwnPausesTest {

    private static final Limit PLENTY =
            Limit.named("plenty").tokenBucket(Rate.perSecond(1_000_000)).withBurst(1_000_000);

    /** Longer than a busy machine needs. */
    private static final Duration DEADLINE = Duration.ofHours(1);

    /** The last calls that the breaker remembers. */
    private static final int CALLS = 16;

    private final List<StoreState> states = new CopyOnWriteArrayList<>();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final AheadClock clock = new AheadClock();
    private final StoreListener listener = new StoreListener() {
        @Override
        public void changed(StoreState state) {
            states.add(state);
        }

        @Override
        public void called(String outcome, int decisions, long nanos) {
            calls.add(outcome);
        }
    };

    @Test
    void answersThatThisProcessReadsLateDoNotOpenTheBreaker() throws Exception {
        // A busy machine may leave calls unanswered for some seconds.
        RedisOptions patient = RedisOptions.defaults().slow(Duration.ofMinutes(1));
        try (RedisServer server = RedisServer.start();
                RedisEngine engine = connect(server, patient)) {
            for (int i = 0; i < CALLS; i++) {
                CountDownLatch over = new CountDownLatch(1);
                pauseReading(engine, over);
                CompletableFuture<Outcome> answer = pending(engine).outcome().toCompletableFuture();
                clock.ahead.addAndGet(DEADLINE.multipliedBy(2).toNanos());
                over.countDown();
                assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(EngineDecision.class);
            }
            assertThat(calls).filteredOn("late"::equals).hasSize(CALLS);
            assertThat(states).noneMatch(state -> state.reason().equals(RedisLink.BREAKER_OPEN));
        }
    }

    @Test
    void aHangingRedisOpensTheBreaker() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisEngine engine = connect(server, RedisOptions.defaults())) {
            server.freeze();
            Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> {
                Answer unused = engine.decide(ask());
                return states.stream().anyMatch(state -> state.reason().equals(RedisLink.BREAKER_OPEN));
            });
            server.thaw();
        }
    }

    /** Holds the thread that reads until the latch is down. */
    private void pauseReading(RedisEngine engine, CountDownLatch over) throws Exception {
        PendingOutcome pending = pending(engine);
        pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS);
        CountDownLatch begun = new CountDownLatch(1);
        pending.afterArrivals().execute(() -> {
            begun.countDown();
            awaitQuietly(over);
        });
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
    }

    private static void awaitQuietly(CountDownLatch over) {
        try {
            assertThat(over.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private PendingOutcome pending(RedisEngine engine) {
        Answer answer = engine.decide(ask());
        return (PendingOutcome) answer;
    }

    private Ask ask() {
        return Ask.charging(List.of(Demand.of(PLENTY, "k", 1))).dueAt(clock.nanoTime() + DEADLINE.toNanos());
    }

    private RedisEngine connect(RedisServer server, RedisOptions options) throws Exception {
        RedisEngine engine = RedisEngine.connect(server.uri(), "p", clock, options.listener(listener));
        engine.ready().toCompletableFuture().get(120, TimeUnit.SECONDS);
        return engine;
    }

    /** The system's clock, which the test can put forward. */
    private static final class AheadClock implements Clock {

        private final Clock system = Clock.system();
        private final AtomicLong ahead = new AtomicLong();

        @Override
        public long nanoTime() {
            return system.nanoTime() + ahead.get();
        }

        @Override
        public long epochMicros() {
            return system.epochMicros();
        }

        @Override
        public Alarm at(long nanos, Runnable task) {
            return system.at(nanos - ahead.get(), task);
        }
    }
}
