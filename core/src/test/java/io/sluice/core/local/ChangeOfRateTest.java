package io.sluice.core.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Seeded;
import io.sluice.core.algorithm.BucketState;
import io.sluice.core.algorithm.TokenBuckets;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.ManualClock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A bucket in a word, one that needs more than a word, and the pure function, while rates and bursts change. */
final class ChangeOfRateTest {

    private static final long NOW = 1_790_000_000_000_000L;

    /** Refuses every demand, so that the other demands of an ask are refused with it. */
    private static final TokenBucket NOTHING =
            Limit.named("nothing").tokenBucket(Rate.perSecond(1)).withBurst(0);

    @Test
    void everyStepHasTheVerdictsOfThePureFunction() {
        Seeded random = Seeded.random("changes of rate");
        for (long round = Seeded.scaled(50, 2_000); round > 0; round--) {
            ManualClock clock = ManualClock.at(NOW);
            try (LocalEngine words = new LocalEngine(clock);
                    LocalEngine states = LocalEngine.onTime(clock::epochMicros)) {
                List<TokenBucket> numbers = numbers(random);
                Map<String, BucketState> model = new HashMap<>();
                List<Charge> charged = new ArrayList<>();
                for (int step = 0; step < 400; step++) {
                    clock.advance(
                            Duration.of(random.oneIn(3) ? 0 : random.magnitude(1, 10_000_000), ChronoUnit.MICROS));
                    if (!charged.isEmpty() && random.oneIn(6)) {
                        Charge back = charged.remove(random.nextInt(charged.size()));
                        words.giveBack(List.of(back)).toCompletableFuture().join();
                        states.giveBack(List.of(back)).toCompletableFuture().join();
                        model.computeIfPresent(
                                back.key(),
                                (key, state) ->
                                        state.giveBack(back.permits(), back.chargedAtMicros(), clock.epochMicros()));
                        continue;
                    }
                    if (!charged.isEmpty() && random.oneIn(6)) {
                        Charge reserved = charged.remove(random.nextInt(charged.size()));
                        Settlement settlement = settlement(random, reserved, step);
                        SettlementResult expected = settle(model, settlement, clock.epochMicros());
                        for (LocalEngine engine : List.of(words, states)) {
                            assertThat(engine.settleNow(List.of(settlement)))
                                    .as("%s, step %d: %s", random, step, settlement)
                                    .containsExactly(expected);
                        }
                        continue;
                    }
                    Ask ask = ask(random, numbers);
                    List<Verdict> expected = decide(model, ask, clock.epochMicros());
                    EngineDecision inWords = (EngineDecision) words.decide(ask);
                    assertThat(inWords.verdicts())
                            .as("%s, step %d, in words: %s", random, step, ask)
                            .isEqualTo(expected);
                    assertThat(states.decide(ask))
                            .as("%s, step %d: %s", random, step, ask)
                            .isEqualTo(inWords);
                    charged.addAll(inWords.charges(ask));
                }
            }
        }
    }

    /** Returns the verdict of the pure function on each demand, and updates the model to the state that it leaves behind. */
    private static List<Verdict> decide(Map<String, BucketState> model, Ask ask, long now) {
        List<BucketState> aged = new ArrayList<>();
        List<Long> grants = new ArrayList<>();
        for (Demand demand : ask.demands()) {
            TokenBucket limit = (TokenBucket) demand.limit();
            BucketState state = model.getOrDefault(name(demand), BucketState.fresh(now));
            aged.add(state.at(limit.pace(), now));
            grants.add(TokenBuckets.grant(limit, aged.get(aged.size() - 1), demand, now));
        }
        boolean charged = ask.charges() && !grants.contains(0L);
        List<Verdict> verdicts = new ArrayList<>();
        for (int i = 0; i < grants.size(); i++) {
            Demand demand = ask.demands().get(i);
            BucketState seen = aged.get(i);
            long grant = grants.get(i);
            verdicts.add(TokenBuckets.verdict((TokenBucket) demand.limit(), seen, demand, grant, charged, now));
            if (charged) {
                model.put(name(demand), seen.plus(grant));
            } else if (ask.charges()) {
                model.computeIfPresent(name(demand), (name, state) -> state.refused(seen));
            }
        }
        return verdicts;
    }

    private static Settlement settlement(Seeded random, Charge reserved, int step) {
        long actual = random.oneIn(3)
                ? 0
                : random.magnitude(1, random.oneIn(50) ? Limit.MAX_PERMITS : 2 * reserved.permits());
        return Settlement.of(reserved, actual, "r" + step, Settlement.MAX_WITHIN_MICROS);
    }

    private static SettlementResult settle(Map<String, BucketState> model, Settlement settlement, long now) {
        long change = 0;
        if (settlement.more() != 0) {
            TokenBucket limit = (TokenBucket) settlement.limit();
            BucketState before =
                    model.getOrDefault(settlement.key(), BucketState.fresh(now)).atSettlement(limit.pace(), now);
            BucketState after = before.settle(settlement, now);
            model.put(settlement.key(), after);
            change = after.over(before);
        }
        return new SettlementResult(SettlementResult.Kind.SETTLED, change);
    }

    private static String name(Demand demand) {
        return demand.limit().equals(NOTHING) ? "nothing" : demand.key();
    }

    private static Ask ask(Seeded random, List<TokenBucket> numbers) {
        List<Demand> demands = new ArrayList<>();
        demands.add(demand(random, numbers, "k"));
        if (random.oneIn(4)) {
            demands.add(random.oneIn(3) ? Demand.of(NOTHING, "k", 1) : demand(random, numbers, "l"));
        }
        Ask ask = Ask.charging(demands);
        return random.oneIn(6) ? ask.looking() : ask;
    }

    private static Demand demand(Seeded random, List<TokenBucket> numbers, String key) {
        // Mostly the first one, so that some time passes at one rate.
        TokenBucket limit = numbers.get(random.oneIn(3) ? random.nextInt(numbers.size()) : 0);
        long permits = 1 + random.nextLong(limit.capacity() + 1);
        Demand demand = Demand.of(limit, key, permits).orAtLeast(1 + random.nextLong(permits));
        demand = random.oneIn(4) ? demand.keeping(random.nextLong(limit.capacity() + 1)) : demand;
        return random.oneIn(4) ? demand.waitingUpTo(random.magnitude(1, 10_000_000)) : demand;
    }

    /** Returns numbers for one limit: rates that fit into a word, rates that do not, and some of zero. */
    private static List<TokenBucket> numbers(Seeded random) {
        List<TokenBucket> numbers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            long micros = random.magnitude(1, 86_400_000_000L);
            long most = Math.min(random.oneIn(4) ? Limit.MAX_CAPACITY : 1_000, micros * 1_000);
            Rate rate =
                    new Rate(random.oneIn(8) ? 0 : random.magnitude(1, most), Duration.of(micros, ChronoUnit.MICROS));
            TokenBucket limit = Limit.named("x").tokenBucket(rate).withBurst(random.magnitude(1, 50));
            numbers.add(limit);
            if (random.oneIn(3)) {
                numbers.add(limit.withBurst(random.magnitude(1, 50)));
            }
        }
        return numbers;
    }

    /** If the rate of a full bucket is raised, a refused caller gets a correct retry time. */
    @Test
    void aRateThatIsRaisedCountsFromTheFirstRefusalOn() {
        ManualClock clock = ManualClock.at(NOW);
        TokenBucket slow = Limit.named("x").tokenBucket(Rate.perDay(1)).withBurst(10);
        TokenBucket fast = Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(10);
        try (LocalEngine words = new LocalEngine(clock);
                LocalEngine states = LocalEngine.onTime(clock::epochMicros)) {
            for (LocalEngine engine : List.of(words, states)) {
                decide(engine, slow, 10);
                Verdict refused = decide(engine, fast, 1);
                assertThat(refused.retryAfterMicros()).isEqualTo(100_000);
                clock.advance(Duration.of(refused.retryAfterMicros() - 1, ChronoUnit.MICROS));
                assertThat(decide(engine, fast, 1).fits()).isFalse();
                clock.advance(Duration.of(1, ChronoUnit.MICROS));
                assertThat(decide(engine, fast, 1).fits()).isTrue();
            }
        }
    }

    private static Verdict decide(LocalEngine engine, TokenBucket limit, long permits) {
        Ask ask = Ask.charging(List.of(Demand.of(limit, "k", permits)));
        return ((EngineDecision) engine.decide(ask)).verdicts().get(0);
    }
}
