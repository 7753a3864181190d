package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What one process admits while the store is unavailable. */
class LocalShareTest {

    private final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    private final Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
    private final Limiter shared = new Limiter(new LostStore(), clock, List.of());
    private final AtomicInteger nodes = new AtomicInteger();

    @AfterEach
    void close() {
        local.close();
        shared.close();
    }

    @ParameterizedTest
    @CsvSource({"0, 50", "1, 100", "2, 50", "3, 33", "10, 10", "99, 1", "100, 1", "5000, 1"})
    void isOnePartForEachLiveNodeAndAtLeastOnePermit(int live, int admitted) {
        nodes.set(live);

        assertThat(admitted(evaluator("rules: [{ id: a, limits: [{ rate: 100 }] }]")))
                .isEqualTo(admitted);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 10, 49, 93, 107, 1_000, 4_999})
    void isExactWhereTheLimitCanBeDivided(int live) {
        nodes.set(live);

        assertThat(admitted(evaluator("rules: [{ id: a, limits: [{ limit: " + 12L * live + ", window: 1m }] }]")))
                .isEqualTo(12);
    }

    @ParameterizedTest
    @CsvSource({
        "token_bucket, rate: 100",
        "sliding_log, 'limit: 100, window: 1m'",
        "sliding_window, 'limit: 100, window: 1m'",
        "fixed_window, 'limit: 100, window: 1m'"
    })
    void keepsWhatWasUsedWhenTheNumberOfNodesChanges(String algorithm, String numbers) {
        Evaluator evaluator =
                evaluator("rules: [{ id: a, limits: [{ algorithm: " + algorithm + ", " + numbers + " }] }]");

        nodes.set(20);
        assertThat(admitted(evaluator)).isEqualTo(5);
        nodes.set(10);
        assertThat(admitted(evaluator)).isLessThanOrEqualTo(10);
        nodes.set(20);
        assertThat(admitted(evaluator)).isZero();
    }

    @Test
    void isWhatTheRuleStates() {
        nodes.set(10);

        assertThat(admitted(evaluator("rules: [{ id: a, local_share: 0.25, limits: [{ rate: 100 }] }]")))
                .isEqualTo(25);
    }

    @ParameterizedTest
    @CsvSource({"2, 25", "10, 10"})
    void isTheSmallestOfAllRulesThatMatch(int live, int admitted) {
        nodes.set(live);

        assertThat(admitted(evaluator("""
                rules:
                  - { id: a, local_share: 0.25, limits: [{ rate: 100 }] }
                  - { id: b, limits: [{ rate: 100 }] }
                """))).isEqualTo(admitted);
    }

    private Evaluator evaluator(String rules) {
        RuleDocument.Accepted document = (RuleDocument.Accepted) RuleDocument.parse("test", rules);
        RuleSet set = new RuleSet(1, document.rules());
        return new Evaluator(
                () -> set, local, shared, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> {}, nodes::get);
    }

    private static int admitted(Evaluator evaluator) {
        int admitted = 0;
        for (int i = 0; i < 200; i++) {
            Ruling ruling = evaluator
                    .evaluate(Attributes.of(Map.of()), 1)
                    .toCompletableFuture()
                    .join();
            admitted += ((Ruling.Settled) ruling).allowed() ? 1 : 0;
        }
        return admitted;
    }

    private static final class LostStore implements Engine {

        @Override
        public String name() {
            return "redis";
        }

        @Override
        public Answer decide(Ask ask) {
            return new EngineFailure("redis-down", false);
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
