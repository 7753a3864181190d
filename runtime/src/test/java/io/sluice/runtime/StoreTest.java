package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.time.Clock;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StoreTest {

    /** Only ends tests that hang. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Limit LIMIT = Limit.named("a").fixedWindow(1_000, Duration.ofDays(1_000));

    private static RedisServer redis;

    private final AtomicInteger calls = new AtomicInteger();
    private Store store;
    private Limiter limiter;

    @BeforeAll
    static void start() {
        redis = RedisServer.shared();
    }

    @BeforeEach
    void open() {
        redis.command("FLUSHALL");
        StoreListener listener = new StoreListener() {
            @Override
            public void called(String outcome, int decisions, long nanos) {
                calls.incrementAndGet();
            }
        };
        store = Store.redis(redis.uri(), "test", Clock.system(), listener);
        limiter = new Limiter(store.engine(), Clock.system(), List.of());
        store.ready().toCompletableFuture().join();
    }

    @AfterEach
    void close() {
        limiter.close();
    }

    @Test
    void decidesInRedisUnderItsPrefix() {
        Await.until("Redis decides", PATIENCE, () -> ask(1).degraded() == null);

        assertThat(redis.command("KEYS", "*").texts()).isNotEmpty().allMatch(key -> key.startsWith("test:"));
        assertThat(calls).hasPositiveValue();
        Await.until("Redis is ready", PATIENCE, store::isReady);
        Await.until("Redis is available", PATIENCE, () -> store.state().available());
    }

    @Test
    void remembersRefusals() {
        Limit none = Limit.named("b").fixedWindow(1, Duration.ofDays(1_000));
        Await.until("a refusal is remembered", PATIENCE, () -> {
            limiter.decide(Ask.charging(List.of(Demand.of(none, "k", 1))));
            return store.remembered() > 0;
        });
    }

    @Test
    void guardsTheStore() {
        Limit few = Limit.named("c").fixedWindow(10, Duration.ofDays(1_000));
        Demand guarded = Demand.of(few, "k", 10).guardedBy(1);
        Await.until("a request is kept from the store", PATIENCE, () -> {
            var unused = limiter.decideAsync(Ask.charging(List.of(guarded)));
            return store.guarded() > 0;
        });
    }

    @Test
    void leases() {
        Limit plenty = Limit.named("d").fixedWindow(1_000_000_000, Duration.ofDays(1_000));
        Demand leased = Demand.of(plenty, "k", 1).leasedBy(new LeasePolicy(50, 0.5, 3_600_000_000L));
        Await.until("permits are leased", PATIENCE, () -> {
            // A key is leased when eight callers come within 200 ms, which single callers on a busy machine may never
            // do.
            for (int i = 0; i < 20; i++) {
                var unused = limiter.decideAsync(Ask.charging(List.of(leased)));
            }
            return store.leased() > 0;
        });
    }

    @Test
    void agreesOnASecretWithOtherProcesses() {
        byte[] ours = "ours".getBytes(StandardCharsets.UTF_8);
        byte[] theirs = "theirs".getBytes(StandardCharsets.UTF_8);
        Store other = Store.redis(redis.uri(), "test", Clock.system(), StoreListener.NONE);
        try {
            other.ready().toCompletableFuture().join();
            Await.until("both have the same secret", PATIENCE, () -> {
                String first = text(store.agreeOn("permits", ours));
                return first.equals("ours")
                        && text(other.agreeOn("permits", theirs)).equals("ours");
            });
        } finally {
            other.engine().close();
        }
    }

    @Test
    void findsSettingsThatLoseCounts() {
        try (RedisServer lossy = RedisServer.start("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru")) {
            Store losing = Store.redis(lossy.uri(), "test", Clock.system(), StoreListener.NONE);
            Await.until("the policy is found", PATIENCE, () -> losing.findings().stream()
                    .anyMatch(finding -> finding.contains("allkeys-lru")));
            losing.engine().close();
        }
    }

    @Test
    void refusesAnAddressThatCannotBeRead() {
        assertThatThrownBy(() -> Store.redis("http://127.0.0.1:1", "test", Clock.system(), StoreListener.NONE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void opensWhileRedisIsUnavailable() {
        try (RedisServer dead = RedisServer.start()) {
            dead.kill();
            Store away = Store.redis(dead.uri(), "test", Clock.system(), StoreListener.NONE);

            assertThat(away.isReady()).isFalse();
            assertThat(away.ready().toCompletableFuture()).isNotDone();
            assertThat(away.vitals().toCompletableFuture()).failsWithin(PATIENCE);

            dead.restart();
            away.ready().toCompletableFuture().join();
            away.engine().close();
        }
    }

    @Test
    void aStoreOfOnesOwnNeedsNoFigures() {
        Store own = new Store() {
            private final Engine counts = new LocalEngine(Clock.system());

            @Override
            public Engine engine() {
                return counts;
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public CompletionStage<Void> ready() {
                return CompletableFuture.completedStage(null);
            }

            @Override
            public StoreState state() {
                return StoreState.up(0);
            }

            @Override
            public List<String> findings() {
                return List.of();
            }
        };

        assertThat(own.remembered()).isZero();
        assertThat(own.guarded()).isZero();
        assertThat(own.leased()).isZero();
        assertThat(own.vitals().toCompletableFuture()).isCompletedExceptionally();
        assertThat(own.agreeOn("x", new byte[16]).toCompletableFuture()).isCompletedExceptionally();
    }

    /** Returns the agreed secret as text; empty if Redis did not answer in time. */
    private static String text(CompletionStage<byte[]> agreed) {
        byte[] bytes = agreed.exceptionally(failed -> new byte[0])
                .toCompletableFuture()
                .join();
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private Decision ask(long permits) {
        return limiter.decide(Ask.charging(List.of(Demand.of(LIMIT, "k", permits))));
    }
}
