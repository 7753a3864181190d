package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Decision;
import io.sluice.core.Hold;
import io.sluice.core.Limiter;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class RedisStoreTest {

    private static final Duration PATIENT = Duration.ofMinutes(1);
    private static final Limit FOUR = Limit.named("four").fixedWindow(4, Duration.ofDays(1_000));

    private static RedisServer redis;

    @BeforeAll
    static void start() {
        redis = RedisServer.shared();
    }

    @Test
    void sharesCountsOfOnePrefixAndKeepsOthersApart() throws Exception {
        try (RedisStore one = open(RedisStore.at(redis.uri()).prefix("shared"));
                RedisStore two = open(RedisStore.at(redis.uri()).prefix("shared"));
                RedisStore other = open(RedisStore.at(redis.uri()).prefix("other"))) {
            assertThat(decide(one, "k", 3).allowed()).isTrue();
            assertThat(decide(two, "k", 2).allowed()).isFalse();
            assertThat(decide(two, "k", 1).allowed()).isTrue();
            assertThat(decide(other, "k", 4).allowed()).isTrue();
        }
    }

    @Test
    void permitsThatEndWhileRedisHangsAreFreeSoonAfter() throws Exception {
        Concurrency five = Limit.named("five").concurrency(5, Duration.ofHours(1));
        try (RedisServer hanging = RedisServer.start();
                RedisStore store = RedisStore.at(hanging.uri()).open()) {
            store.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            Limiter limiter = store.limiter();
            List<Hold> held = new ArrayList<>();
            while (held.size() < 5) {
                // On a busy machine an answer may come too late. What it charged is given back then.
                Hold hold = limiter.hold(five, "k", 1);
                if (hold.allowed() && hold.decision().degraded() == null) {
                    held.add(hold);
                } else {
                    hold.close();
                }
            }
            hanging.freeze();
            held.forEach(Hold::close);
            Awaitility.await().atMost(PATIENT).until(() -> !store.isReady());
            hanging.thaw();
            Awaitility.await().atMost(PATIENT).until(() -> free(limiter, five) == 5);
        }
    }

    /** Returns how many permits are free in Redis; 0 if Redis does not answer in time. */
    private static long free(Limiter limiter, Limit limit) {
        Decision look =
                limiter.decide(Ask.charging(List.of(Demand.of(limit, "k", 1))).looking());
        return look.degraded() == null ? look.remaining() : 0;
    }

    @Test
    void aListenerThatThrowsChangesNoDecision() throws Exception {
        AtomicInteger called = new AtomicInteger();
        StoreListener throwing = new StoreListener() {
            @Override
            public void called(String outcome, int decisions, long nanos) {
                called.incrementAndGet();
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void changed(StoreState state) {
                throw new NoClassDefFoundError("on purpose");
            }
        };
        try (RedisStore store =
                open(RedisStore.at(redis.uri()).prefix("throwing").storeListener(throwing))) {
            for (int i = 0; i < 4; i++) {
                Decision decision = decide(store, "k", 1);
                assertThat(decision.allowed()).isTrue();
                assertThat(decision.degraded()).isNull();
            }
            assertThat(decide(store, "k", 1).allowed()).isFalse();
        }
        assertThat(called.get()).isPositive();
    }

    @Test
    void cachesRefusalsUnlessTurnedOff() throws Exception {
        try (RedisStore remembering = open(RedisStore.at(redis.uri()).prefix("memory"));
                RedisStore forgetful =
                        open(RedisStore.at(redis.uri()).prefix("memory").rememberedRefusals(false))) {
            decide(remembering, "k", 4);
            for (int i = 0; i < 3; i++) {
                assertThat(decide(remembering, "k", 1).allowed()).isFalse();
                assertThat(decide(forgetful, "k", 1).allowed()).isFalse();
            }
            assertThat(remembering.remembered()).isPositive();
            assertThat(forgetful.remembered()).isZero();
        }
    }

    @Test
    void leasesWhereConfiguredAndReturnsTheRest() throws Exception {
        Limit busy = Limit.named("busy").tokenBucket(Rate.perDay(1)).withBurst(10_000);
        try (RedisStore leasing =
                        open(RedisStore.at(redis.uri()).prefix("leases").leasing(100, 0.5, PATIENT));
                RedisStore plain = open(RedisStore.at(redis.uri()).prefix("leases"))) {
            long asked = 1;
            while (leasing.leased() == 0) {
                assertThat(decided(leasing, Demand.of(busy, "k", 1)).allowed()).isTrue();
                asked++;
            }
            assertThat(decided(plain, Demand.of(busy, "k", 1)).allowed()).isTrue();
            assertThat(plain.leased()).isZero();
            leasing.close();

            long left = 10_000 - asked;
            Awaitility.await()
                    .atMost(PATIENT)
                    .until(() -> asked(
                                            plain,
                                            Ask.charging(List.of(Demand.of(busy, "k", 1)))
                                                    .looking())
                                    .remaining()
                            == left);
        }
    }

    @Test
    void guardsDemandsThatAskForIt() throws Exception {
        try (RedisStore store = open(RedisStore.at(redis.uri()).prefix("guard"));
                RedisStore unguarded =
                        open(RedisStore.at(redis.uri()).prefix("guard").guard(false))) {
            assertThat(guarded(store)).isTrue();
            assertThat(guarded(store)).isFalse();
            assertThat(guarded(unguarded)).isFalse();
            assertThat(unguarded.guarded()).isZero();
        }
    }

    @Test
    void rejectsAnInvalidAddress() {
        assertThatThrownBy(() -> RedisStore.at("http://127.0.0.1").open()).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void decidesByTheFailurePolicyUntilRedisIsUp() {
        try (RedisStore store = RedisStore.at("redis://127.0.0.1:1").open()) {
            Decision decision = store.limiter().decide(FOUR, "k");

            assertThat(decision.allowed()).isTrue();
            assertThat(decision.degraded()).isNotNull();
            assertThat(store.isReady()).isFalse();
        }
    }

    private static RedisStore open(RedisStore.Builder builder) throws Exception {
        RedisStore store = builder.slow(PATIENT).open();
        store.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
        return store;
    }

    private static Decision decide(RedisStore store, String key, long permits) {
        return decided(store, Demand.of(FOUR, key, permits));
    }

    private static boolean guarded(RedisStore store) {
        return decided(store, Demand.of(FOUR, "guarded", 4).guardedBy(1)).allowed();
    }

    /** Decides by Redis, however busy this machine is. */
    private static Decision decided(RedisStore store, Demand demand) {
        return asked(store, Ask.charging(List.of(demand)));
    }

    private static Decision asked(RedisStore store, Ask ask) {
        Limiter limiter = store.limiter();
        Decision decision = limiter.decide(ask.dueAt(limiter.dueIn(PATIENT)));
        assertThat(decision.degraded()).isNull();
        return decision;
    }
}
