package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.redis.store.StoreListener;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StoreWatchTest {

    /** Only ends tests that hang. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Limit LIMIT = Limit.named("a").fixedWindow(1, Duration.ofDays(1_000));

    private final ManualClock clock = QuietClock.at(0);
    private RedisServer redis;
    private Store store;
    private StoreWatch watch;
    private Limiter limiter;

    @BeforeEach
    void open() {
        redis = RedisServer.start();
        store = Store.redis(redis.uri(), "test", Clock.system(), StoreListener.NONE);
        watch = new StoreWatch(store, clock);
        limiter = new Limiter(store.engine(), Clock.system(), List.of(watch));
        store.ready().toCompletableFuture().join();
    }

    @AfterEach
    void close() {
        limiter.close();
        redis.close();
    }

    @Test
    void hasNothingToTellWithoutAStore() {
        StoreWatch none = new StoreWatch(null, clock);

        assertThat(none.exists()).isFalse();
        assertThat(none.isAway()).isFalse();
        assertThat(none.degraded()).isNull();
        assertThat(none.awaySince()).isEmpty();
        assertThat(none.findings()).isEmpty();
        assertThat(none.outage()).isEmpty();
        assertThat(none.remembered()).isZero();
        assertThat(none.guarded()).isZero();
        assertThat(none.leased()).isZero();
        assertThat(none.shed()).isZero();
        for (FailurePolicy policy : FailurePolicy.values()) {
            assertThat(none.stoodIn(policy)).isFalse();
        }
    }

    @Test
    void tellsThatTheStoreIsUnavailableSinceWhenAndWhy() {
        assertThat(watch.exists()).isTrue();
        Await.until("available", PATIENCE, this::isWell);
        assertThat(watch.findings()).isEqualTo(store.findings());

        Instant before = Instant.now();
        redis.kill();
        Await.until("unavailable", PATIENCE, () -> watch.outage().isPresent());
        assertThat(watch.isAway()).isTrue();
        assertThat(watch.degraded()).isNotEmpty();
        assertThat(watch.awaySince().orElseThrow()).isAfterOrEqualTo(before.minusSeconds(1));
        assertThat(watch.outage().orElseThrow()).startsWith("Redis is unavailable: ");

        redis.restart();
        Await.until("available again", PATIENCE, this::isWell);
    }

    /** On a busy machine Redis may look slow for a moment. */
    private boolean isWell() {
        return !watch.isAway()
                && watch.degraded() == null
                && watch.awaySince().isEmpty()
                && watch.outage().isEmpty();
    }

    @Test
    void tellsThatTheStoreTurnsTheClientAway() {
        try (RedisServer locked = RedisServer.start("--requirepass", "secret")) {
            String withoutPassword = "redis://127.0.0.1:" + locked.port();
            Store away = Store.redis(withoutPassword, "test", Clock.system(), StoreListener.NONE);
            StoreWatch turnedAway = new StoreWatch(away, clock);

            Await.until("turned away", PATIENCE, () -> "redis-noauth".equals(turnedAway.degraded()));
            assertThat(turnedAway.isAway()).isTrue();
            assertThat(turnedAway.outage().orElseThrow()).doesNotContain("secret");
            away.engine().close();
        }
    }

    @Test
    void tellsThatAStoreNeverAnswers() {
        redis.freeze();
        try {
            Ask ask = Ask.charging(List.of(Demand.of(LIMIT, "k", 1)))
                    .onFailure(FailurePolicy.CLOSED, Ask.DEFAULT_LOCAL_SHARE);
            var decision = limiter.decide(ask.dueAt(limiter.dueIn(Duration.ofMillis(20))));

            assertThat(decision.allowed()).isFalse();
            assertThat(watch.degraded()).isNotNull();
            assertThat(watch.stoodIn(FailurePolicy.CLOSED)).isTrue();
            assertThat(watch.stoodIn(FailurePolicy.OPEN)).isFalse();
            assertThat(watch.stoodIn(FailurePolicy.LOCAL)).isFalse();
        } finally {
            redis.thaw();
        }
    }

    @Test
    void forgetsADegradedDecisionAfterFiveSeconds() {
        shed();
        Await.until("degraded", PATIENCE, () -> Evaluator.OVERLOAD.equals(watch.degraded()));
        assertThat(watch.shed()).isEqualTo(1);

        clock.advance(Duration.ofSeconds(5).minusNanos(1));
        assertThat(watch.stoodIn(FailurePolicy.LOCAL)).isTrue();
        Await.until("still degraded", PATIENCE, () -> Evaluator.OVERLOAD.equals(watch.degraded()));
        clock.advance(Duration.ofNanos(1));
        assertThat(watch.stoodIn(FailurePolicy.LOCAL)).isFalse();
        Await.until("no longer degraded", PATIENCE, () -> watch.degraded() == null);
        assertThat(watch.shed()).isEqualTo(1);
    }

    @Test
    void forgetsADegradedDecisionWhenTheStoreDecidesAgain() {
        shed();

        Await.until("Redis decides", PATIENCE, () -> limiter.decide(ask()).degraded() == null);
        Await.until("no longer degraded", PATIENCE, () -> {
            limiter.decide(ask());
            return watch.degraded() == null;
        });
        assertThat(watch.stoodIn(FailurePolicy.LOCAL)).isTrue();
    }

    @Test
    void countsWhatNeededNoCall() {
        Await.until("a refusal is remembered", PATIENCE, () -> {
            limiter.decide(ask());
            return watch.remembered() > 0;
        });
        assertThat(watch.remembered()).isEqualTo(store.remembered());
        assertThat(watch.guarded()).isEqualTo(store.guarded());
        assertThat(watch.leased()).isEqualTo(store.leased());
    }

    private void shed() {
        assertThat(limiter.decideWithoutStore(ask(), Evaluator.OVERLOAD).degraded())
                .isEqualTo(Evaluator.OVERLOAD);
    }

    private static Ask ask() {
        return Ask.charging(List.of(Demand.of(LIMIT, "k", 1)));
    }
}
