package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import io.sluice.redis.internal.link.RedisOptions;
import io.sluice.redis.internal.wire.RedisKeys;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The steps of a decision in Redis grow no faster than what it has to look at. */
final class StepsInRedisTest {

    private static final int FEW = 100;
    private static final int MANY = 1_000;

    /** An engine asks a server now and then whether it is there. */
    private static final int ASIDE = 20;

    private static final Duration DAY = Duration.ofDays(1);
    private static final AtomicLong MICROS = new AtomicLong(1_790_000_000_000_000L);

    private static RedisServer server;
    private static CountedLibrary library;
    private static RedisEngine engine;

    @BeforeAll
    static void start() throws Exception {
        server = RedisServer.shared();
        library = CountedLibrary.in(server);
        RedisOptions patient = RedisOptions.defaults().slow(Duration.ofMinutes(1));
        engine = RedisEngine.onTime(server.uri(), "p", Clock.system(), patient, () -> Long.toString(MICROS.get()));
        engine.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @AfterAll
    static void stop() {
        engine.close();
    }

    /** An input of a given size; returns the steps of one piece of work on it. */
    @FunctionalInterface
    private interface Work {
        long steps(int size) throws Exception;
    }

    private static void inProportion(Work work) throws Exception {
        long ofFew = work.steps(FEW);
        assertThat(ofFew).as("steps for %d", FEW).isGreaterThan(FEW);
        assertThat(work.steps(MANY)).as("steps for %d", MANY).isLessThanOrEqualTo(MANY / FEW * ofFew + ASIDE);
    }

    private static void asFewAsEver(Work work) throws Exception {
        long ofFew = work.steps(FEW);
        assertThat(ofFew).as("steps for %d", FEW).isBetween(3L, 50L);
        assertThat(work.steps(MANY)).as("steps for %d", MANY).isLessThanOrEqualTo(ofFew + ASIDE);
    }

    @Test
    void aRefusalOfASlidingWindowTakesStepsInProportionToItsSlices() throws Exception {
        inProportion(slices -> refusalOf(window(slices)));
        inProportion(slices -> refusalOf(window(slices).asEstimate()));
    }

    private static SlidingWindow window(int slices) {
        return Limit.named("w" + slices)
                .slidingWindow(slices, Duration.ofSeconds(slices))
                .withSlices(slices);
    }

    /** One permit in each slice. */
    private static long refusalOf(SlidingWindow window) throws Exception {
        take(window, window.slices(), 1, 1_000_000);
        return refusal(window, window.slices());
    }

    @Test
    void aRefusalOfASlidingLogTakesStepsInProportionToTheEntriesThatItWaitsFor() throws Exception {
        inProportion(entries -> {
            Limit log = Limit.named("all" + entries).slidingLog(entries, DAY);
            take(log, entries, 1, 1);
            return refusal(log, entries);
        });
    }

    /** The first entries are read together, whether they are needed or not. */
    @Test
    void aRefusalOfOnePermitDoesNotReadTheWholeLog() throws Exception {
        Work refusal = entries -> {
            Limit log = Limit.named("one" + entries).slidingLog(entries, DAY);
            take(log, entries, 1, 1);
            return refusal(log, 1);
        };
        assertThat(refusal.steps(MANY)).isLessThanOrEqualTo(refusal.steps(FEW) + ASIDE);
    }

    /** The first and the last entry are not given back. */
    @Test
    void aLogFromWhichMostWasGivenBackKeepsNoEmptiedEntries() throws Exception {
        asFewAsEver(entries -> {
            Limit log = Limit.named("emptied" + entries).slidingLog(entries, DAY);
            List<Charge> charges = take(log, entries, 1, 1);
            engine.giveBack(charges.subList(1, entries - 1))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            assertThat(server.command("LLEN", new RedisKeys("p").of(log, "k")).number())
                    .isEqualTo(1 + 2);
            return refusal(log, entries);
        });
    }

    @Test
    void aDecisionOnHeldPermitsDoesNotWalkTheHolders() throws Exception {
        asFewAsEver(holders -> {
            Limit limit = Limit.named("one" + holders).concurrency(holders, DAY);
            take(limit, holders, 1, 1);
            return refusal(limit, 1);
        });
        asFewAsEver(holders -> {
            Limit limit = Limit.named("whole" + holders).concurrency(holders, DAY);
            take(limit, holders, 1, 1);
            return refusal(limit, holders);
        });
        asFewAsEver(holders -> {
            Limit limit = Limit.named("more" + holders).concurrency(2L * holders + 1, DAY);
            take(limit, holders, 2, 1);
            library.steps();
            assertThat(decided(Demand.of(limit, "k", 1)).allowed()).isTrue();
            return library.steps();
        });
    }

    @Test
    void aRefusalOfHoldersOfSeveralPermitsTakesStepsInProportionToThoseThatItWaitsFor() throws Exception {
        inProportion(holders -> {
            Limit limit = Limit.named("several" + holders).concurrency(2L * holders, DAY);
            take(limit, holders, 2, 1);
            return refusal(limit, 2L * holders);
        });
    }

    /** All but one of the holders of several permits have expired, and as many refusals see that. */
    @Test
    void manyRefusalsSkipTheHoldersThatHaveExpiredOnce() throws Exception {
        inProportion(holders -> {
            Limit limit = Limit.named("expired" + holders).concurrency(2L * holders + 2, Duration.ofSeconds(1));
            take(limit, holders, 2, 1);
            MICROS.addAndGet(500_000);
            take(limit, 1, 2, 600_000);
            long steps = 0;
            for (int i = 0; i < holders; i++) {
                steps += refusal(limit, 2L * holders + 2);
            }
            return steps;
        });
    }

    /** Takes permits again and again, each time at another time. */
    private static List<Charge> take(Limit limit, int times, int permits, long microsBetween) throws Exception {
        List<Charge> charges = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            Demand demand = Demand.of(limit, "k", permits);
            EngineDecision decision = decided(demand);
            assertThat(decision.allowed()).isTrue();
            charges.addAll(decision.charges(Ask.charging(List.of(demand))));
            MICROS.addAndGet(microsBetween);
        }
        return charges;
    }

    private static long refusal(Limit limit, long permits) throws Exception {
        library.steps();
        assertThat(decided(Demand.of(limit, "k", permits)).allowed()).isFalse();
        return library.steps();
    }

    private static EngineDecision decided(Demand demand) throws Exception {
        Answer answer = engine.decide(Ask.charging(List.of(demand)));
        return (EngineDecision)
                (answer instanceof PendingOutcome pending
                        ? pending.outcome().toCompletableFuture().get(60, TimeUnit.SECONDS)
                        : answer);
    }
}
