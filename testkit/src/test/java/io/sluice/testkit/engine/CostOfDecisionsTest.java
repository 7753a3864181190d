package io.sluice.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.testkit.Proportion;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The cost of a decision in process grows no faster than what it has to look at. */
final class CostOfDecisionsTest {

    @Test
    void aRefusalOfASlidingWindowCostsAsMuchAsItsSlices() {
        Proportion.require("a refusal", SlidingWindow.MAX_SLICES, FullWindow::new, FullWindow::refuse);
    }

    @Test
    void aRefusalOfHeldPermitsDoesNotLookAtAllHolders() {
        Proportion.require("as many refusals as holders", 20_000, AllHeld::new, AllHeld::refuseAll);
    }

    /** One permit in each slice. */
    private static final class FullWindow {

        private final Ask all;
        private final LocalEngine engine;
        private long micros = 1_790_000_000_000_000L;

        FullWindow(int slices) {
            engine = LocalEngine.onTime(() -> micros);
            SlidingWindow limit = Limit.named("w")
                    .slidingWindow(slices, Duration.ofSeconds(slices))
                    .withSlices(slices);
            Ask one = Ask.charging(List.of(Demand.of(limit, "k", 1)));
            for (int i = 0; i < slices; i++) {
                assertThat(((EngineDecision) engine.decide(one)).allowed()).isTrue();
                micros += 1_000_000;
            }
            all = Ask.charging(List.of(Demand.of(limit, "k", slices)));
        }

        void refuse() {
            assertThat(((EngineDecision) engine.decide(all)).allowed()).isFalse();
        }
    }

    /** Every permit is held by another holder, and expires at another time. */
    private static final class AllHeld {

        private final int holders;
        private final Concurrency limit;
        private final LocalEngine engine;
        private long micros = 1_790_000_000_000_000L;

        AllHeld(int holders) {
            this.holders = holders;
            this.engine = LocalEngine.onTime(() -> micros);
            this.limit = Limit.named("c").concurrency(holders, Duration.ofDays(1));
            for (int i = 0; i < holders; i++) {
                assertThat(decide()).isTrue();
                micros++;
            }
        }

        private boolean decide() {
            return ((EngineDecision) engine.decide(Ask.charging(List.of(Demand.of(limit, "k", 1))))).allowed();
        }

        void refuseAll() {
            for (int i = 0; i < holders; i++) {
                assertThat(decide()).isFalse();
            }
        }
    }
}
