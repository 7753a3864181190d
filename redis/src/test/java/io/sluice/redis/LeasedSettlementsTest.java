package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.SettlementResult.Kind;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.redis.internal.lease.Leases;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reservations that were met from leases are settled in the store, and requests that keep a part for others are decided there. */
final class LeasedSettlementsTest {

    private static final AtomicInteger PREFIXES = new AtomicInteger();
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final LeasePolicy POLICY = new LeasePolicy(5_000, 0.1, 5_000_000);
    private static final long WITHIN = 300_000_000;
    private static final long LIMIT = 1_000_000;
    private static final Limit BUCKET =
            Limit.named("tb").tokenBucket(Rate.perDay(10)).withBurst(LIMIT);

    private static RedisServer server;

    private final String prefix = "leased" + PREFIXES.incrementAndGet();

    @BeforeAll
    static void startRedis() {
        server = RedisServer.shared();
    }

    static List<Limit> limits() {
        return List.of(
                BUCKET,
                Limit.named("fw").fixedWindow(LIMIT, Duration.ofDays(1_000)),
                Limit.named("sw").slidingWindow(LIMIT, Duration.ofDays(300)));
    }

    private RedisEngine connect() throws Exception {
        return connect(Clock.system());
    }

    private RedisEngine connect(Clock clock) throws Exception {
        RedisEngine engine = RedisEngine.connect(
                server.uri(), prefix, clock, RedisOptions.defaults().slow(PATIENCE));
        Awaitility.await().atMost(PATIENCE).until(() -> {
            if (clock instanceof ManualClock still) {
                // A connection that failed is opened again after a pause.
                still.advance(Duration.ofMillis(100));
            }
            return engine.ready().toCompletableFuture().isDone();
        });
        return engine;
    }

    private static EngineDecision decide(Engine engine, Ask ask) throws Exception {
        Object answer = engine.decide(ask);
        Outcome outcome = answer instanceof PendingOutcome pending
                ? pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS)
                : (Outcome) answer;
        assertThat(outcome).isInstanceOf(EngineDecision.class);
        return (EngineDecision) outcome;
    }

    private static long remaining(Engine engine, Limit limit) throws Exception {
        Ask look = Ask.charging(List.of(Demand.of(limit, "k", 1))).looking();
        return decide(engine, look).verdicts().get(0).remaining();
    }

    /** What the reservations really cost is what the store counts in the end, after the leases were returned. */
    @ParameterizedTest
    @MethodSource("limits")
    void theStoreCountsWhatWasReallyUsed(Limit limit) throws Exception {
        Random random = new Random(7);
        long used = 0;
        int leased = 0;
        try (RedisEngine engine = connect();
                RedisEngine store = connect()) {
            Leases leases = engine.leasesInFrontOf(engine);
            List<Charge> open = new ArrayList<>();
            for (int i = 0; i < 150 || leased == 0; i++) {
                Ask ask = Ask.charging(
                        List.of(Demand.of(limit, "k", 1 + random.nextInt(100)).leasedBy(POLICY)));
                Object answer = leases.decide(ask);
                leased += answer instanceof EngineDecision ? 1 : 0;
                EngineDecision decided = answer instanceof PendingOutcome pending
                        ? (EngineDecision)
                                pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS)
                        : (EngineDecision) answer;
                open.addAll(decided.charges(ask));
                if (random.nextInt(3) == 0) {
                    used += settle(leases, open.remove(random.nextInt(open.size())), random);
                }
            }
            for (Charge charge : open) {
                used += settle(leases, charge, random);
            }
            leases.close();
            long counted = used;
            Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
                // The bucket refills by one permit in two hours. It gives back less what has flowed since, which is a
                // small
                // part of a permit for each reservation.
                long left = remaining(store, limit);
                assertThat(LIMIT - left)
                        .isBetween(limit == BUCKET ? counted - 1 : counted, limit == BUCKET ? counted + 150 : counted);
            });
        }
    }

    private static long settle(Engine leases, Charge charge, Random random) throws Exception {
        long actual = random.nextInt(200);
        Settlement settlement = Settlement.of(charge, actual, "r" + random.nextLong(), WITHIN);
        for (Kind kind : List.of(Kind.SETTLED, Kind.REPEATED)) {
            List<SettlementResult> results =
                    leases.settle(List.of(settlement)).toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(results).extracting(SettlementResult::kind).containsExactly(kind);
        }
        return actual;
    }

    /** Decides until this process holds a hundred permits on lease. Returns what it has asked for. */
    private static Ask leasing(Leases leases, Limit limit, LeasePolicy policy) throws Exception {
        Ask one = Ask.charging(List.of(Demand.of(limit, "k", 1).leasedBy(policy)));
        for (int i = 0; leases.outstanding() < 100; i++) {
            assertThat(i).as("decisions without a lease").isLessThan(10_000);
            assertThat(decide(leases, one).allowed()).isTrue();
        }
        return one;
    }

    /** Time stands still for the leases, so they would believe the refusal for ever. */
    @Test
    void aSettlementThatGivesBackEndsARefusalThatWasRemembered() throws Exception {
        Limit limit = limits().get(1);
        ManualClock still = QuietClock.at(1_790_000_000_000_000L);
        try (RedisEngine engine = connect(still);
                RedisEngine store = connect()) {
            Leases leases = engine.leasesInFrontOf(engine);
            Ask all = Ask.charging(List.of(Demand.of(limit, "k", LIMIT)));
            Charge charge = decide(store, all).charges(all).get(0);
            Ask one = Ask.charging(List.of(Demand.of(limit, "k", 1).leasedBy(POLICY)));
            Awaitility.await().atMost(PATIENCE).until(() -> {
                assertThat(decide(leases, one).allowed()).isFalse();
                return leases.decide(one) instanceof EngineDecision;
            });

            assertThat(leases.settle(List.of(Settlement.of(charge, 0, "id", WITHIN)))
                            .toCompletableFuture()
                            .get(60, TimeUnit.SECONDS))
                    .containsExactly(new SettlementResult(Kind.SETTLED, -LIMIT));

            assertThat(decide(leases, one).allowed()).isTrue();
            leases.close();
        }
    }

    /** Only the store knows what remains. What is out on leases counts as used there. */
    @Test
    void aRequestThatKeepsAPartForOthersIsDecidedByTheStore() throws Exception {
        Limit limit = limits().get(1);
        ManualClock still = QuietClock.at(1_790_000_000_000_000L);
        LeasePolicy policy = new LeasePolicy(5_000, 0.1, Duration.ofHours(1).toNanos() / 1_000);
        try (RedisEngine engine = connect(still)) {
            Leases leases = engine.leasesInFrontOf(engine);
            leasing(leases, limit, policy);
            // More may come at any time.
            long out = leases.outstanding();
            Demand demand = Demand.of(limit, "k", 1).leasedBy(policy);

            EngineDecision refused = decide(leases, Ask.charging(List.of(demand.keeping(LIMIT - 1))));
            assertThat(refused.allowed()).isFalse();
            assertThat(refused.verdicts().get(0).keptForOthers()).isTrue();
            EngineDecision allowed = decide(leases, Ask.charging(List.of(demand.keeping(1))));
            assertThat(allowed.allowed()).isTrue();
            assertThat(allowed.verdicts().get(0).remaining()).isLessThanOrEqualTo(LIMIT - out - 1);
            assertThat(leases.outstanding())
                    .as("nothing was taken from the lease")
                    .isGreaterThanOrEqualTo(out);
            leases.close();
        }
    }

    /** Leases that are out when a debt is charged may still be spent: at most the share of the limit that may be out. */
    @Test
    void aDebtStopsNewLeasesAndNotThoseThatAreOut() throws Exception {
        Limit limit = limits().get(1);
        // Time stands still for the leases, so that none of them ends because this test is slow.
        ManualClock still = QuietClock.at(1_790_000_000_000_000L);
        LeasePolicy policy = new LeasePolicy(5_000, 0.1, Duration.ofHours(1).toNanos() / 1_000);
        try (RedisEngine engine = connect(still);
                RedisEngine store = connect()) {
            Leases leases = engine.leasesInFrontOf(engine);
            Ask one = leasing(leases, limit, policy);
            long out = leases.outstanding();
            long now = decide(
                            store,
                            Ask.charging(List.of(Demand.of(limit, "k", 1))).looking())
                    .atMicros();
            Settlement debt = new Settlement(limit, "k", 0, 3 * LIMIT, now, "debt", WITHIN);
            assertThat(store.settle(List.of(debt)).toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .containsExactly(new SettlementResult(Kind.SETTLED, 3 * LIMIT));
            long passed = 0;
            while (decide(leases, one).allowed()) {
                passed++;
            }
            assertThat(passed).isBetween(out, policy.most(limit));
            assertThat(leases.outstanding()).isZero();
            assertThat(remaining(store, limit)).isZero();
            leases.close();
        }
    }
}
