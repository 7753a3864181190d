package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.HistoryEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.time.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class FallbackRecorderTest {

    private static final Limit LIMIT = Limit.named("l").fixedWindow(10, Duration.ofHours(1));

    private final ManualClock clock = ManualClock.at(1_700_000_000_000_000L);
    private final List<HistoryEvent> events = new ArrayList<>();

    @Test
    void recordsWhatAStandInDecided() {
        try (Limiter limiter = new Limiter(new Gone(), clock, List.of(new FallbackRecorder(events::add, clock)))) {
            limiter.decide(Ask.charging(List.of(Demand.of(LIMIT, "k", 3))).onFailure(FailurePolicy.CLOSED, 1));
        }
        assertThat(events).singleElement().isInstanceOfSatisfying(AnswerEvent.class, told -> {
            assertThat(told.source()).isEqualTo(AnswerEvent.Source.STAND_IN);
            assertThat(told.degraded()).isEqualTo("gone");
            assertThat(told.allowed()).isFalse();
            assertThat(told.permits()).isEqualTo(3);
            assertThat(told.ask()).isNotEmpty();
        });
    }

    @Test
    void recordsNothingThatTheEngineDecided() {
        try (Limiter limiter =
                new Limiter(new LocalEngine(clock), clock, List.of(new FallbackRecorder(events::add, clock)))) {
            limiter.decide(LIMIT, "k", 1);
        }
        assertThat(events).isEmpty();
    }

    private static final class Gone implements Engine {
        @Override
        public String name() {
            return "gone";
        }

        @Override
        public Answer decide(Ask ask) {
            return new EngineFailure("gone", false);
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
