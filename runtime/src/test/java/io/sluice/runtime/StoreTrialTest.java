package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.time.Clock;
import io.sluice.redis.store.StoreListener;
import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StoreTrialTest {

    /** Only ends tests that hang. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final List<Decision> decisions = new CopyOnWriteArrayList<>();
    private final CapturedLog log = new CapturedLog(StoreTrial.class);
    private RedisServer redis;
    private Store store;
    private Limiter limiter;

    @BeforeEach
    void open() {
        redis = RedisServer.start();
        store = Store.redis(redis.uri(), "test", Clock.system(), StoreListener.NONE);
        limiter = new Limiter(
                store.engine(), Clock.system(), List.of((decision, elapsedNanos) -> decisions.add(decision)));
        store.ready().toCompletableFuture().join();
    }

    @AfterEach
    void close() {
        log.close();
        limiter.close();
        redis.close();
    }

    @Test
    void makesDecisionsUnderTheirOwnName() {
        Await.until("200 decisions in Redis", PATIENCE, () -> {
            decisions.clear();
            StoreTrial.run(store, limiter);
            return decisions.size() == 200 && decisions.stream().allMatch(decision -> decision.degraded() == null);
        });

        assertThat(decisions).anyMatch(Decision::allowed);
        assertThat(decisions).allSatisfy(decision -> assertThat(decision.ask().demands())
                .allSatisfy(demand -> assertThat(demand.limit().name()).isEqualTo("sluice.probe")));
    }

    @Test
    void warnsOnceIfTheStoreIsUnavailable() {
        try (RedisServer dead = RedisServer.start()) {
            dead.kill();
            Store away = Store.redis(dead.uri(), "test", Clock.system(), StoreListener.NONE);

            StoreTrial.run(away, limiter);

            assertThat(decisions).isEmpty();
            assertThat(log.lines())
                    .containsExactly(
                            "the shared store is unavailable; decisions now follow each rule's on_failure policy");
            away.engine().close();
        }
    }

    @Test
    void warnsOnceIfTheStoreDoesNotAnswer() {
        redis.freeze();
        try {
            StoreTrial.run(store, limiter);
        } finally {
            redis.thaw();
        }

        assertThat(decisions).hasSizeLessThan(200);
        assertThat(log.lines()).singleElement().asString().startsWith("the shared store does not decide (");
    }

    @Test
    void stopsIfTheThreadIsInterrupted() {
        try (RedisServer dead = RedisServer.start()) {
            dead.kill();
            Store away = Store.redis(dead.uri(), "test", Clock.system(), StoreListener.NONE);
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> StoreTrial.run(away, limiter)).isInstanceOf(CompletionException.class);

            assertThat(Thread.interrupted()).isTrue();
            away.engine().close();
        }
    }
}
