package io.sluice.core.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.time.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SeriesTableTest {

    private final ManualClock clock = ManualClock.at(1_790_000_000_000_000L);
    private final LocalCounts counts = new LocalCounts(new SteadyTime(clock), 1_000);

    @Test
    void chargesFromOutsideAddNothing() {
        for (int i = 0; i < 1_000; i++) {
            Limit unknown = Limit.named("forged" + i).concurrency(5, Duration.ofMinutes(1));
            Charge forged = new Charge(unknown, "k", 1, clock.epochMicros(), "holder");
            counts.giveBack(forged);
            assertThat(counts.renew(forged)).isFalse();
        }
        assertThat(counts.series()).isZero();
        assertThat(counts.size()).isZero();
    }

    @Test
    void aSeriesIsKeptAsLongAsOneOfItsCountsAndUnusedNamesAreForgotten() {
        Limit one = Limit.named("one").tokenBucket(Rate.perDay(1)).withBurst(1);
        assertThat(decide(one).allowed()).isTrue();
        for (int i = 0; i < LocalCounts.LIMITS_KEPT + 10_000; i++) {
            Limit limit = Limit.named("u" + i).tokenBucket(Rate.perSecond(1));
            counts.decide(Ask.charging(List.of(Demand.of(limit, "k", 1))).looking());
        }
        // Those that are at hand are kept, and the one with a count; the collector takes the others in its own time.
        while (counts.series() > LocalCounts.LIMITS_KEPT + 2) {
            System.gc();
        }
        assertThat(decide(one).allowed()).isFalse();
        assertThat(counts.series()).isPositive();
    }

    private EngineDecision decide(Limit limit) {
        return counts.decide(Ask.charging(List.of(Demand.of(limit, "k", 1))));
    }
}
