package io.sluice.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.local.Gate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class StripedGateTest extends GateConformance {

    private static final double SHARE = 0.5;

    @Override
    protected Gate open(TokenBucket limit, Clock clock) {
        return LocalEngine.builder().clock(clock).stripedGates(SHARE).build().gate(limit, "key");
    }

    @Override
    protected double outstanding() {
        return SHARE;
    }

    /** Otherwise the bound would be proved for a gate that does not need it. */
    @Test
    void reallyLetsPassWhatWasOutstanding() {
        ManualClock clock = QuietClock.at(0);
        Gate gate =
                open(Limit.named("gate").tokenBucket(Rate.perSecond(100_000)).withBurst(100_000), clock);
        assertThat(gate.tryPass(1)).isTrue();
        clock.advance(Duration.ofSeconds(10));
        long passed = 0;
        while (gate.tryPass(1)) {
            passed++;
        }
        assertThat(passed).isBetween(100_001L, 150_000L);
    }

    @Test
    void aLimitThatIsTooSmallToShareIsExact() {
        ManualClock clock = QuietClock.at(0);
        Gate gate = open(Limit.named("gate").tokenBucket(Rate.perSecond(3)), clock);
        assertThat(gate.tryPass(1)).isTrue();
        assertThat(gate.pass(1).remaining()).isEqualTo(1);
    }

    @Test
    void theShareIsAPartOfTheBurst() {
        for (double share : new double[] {0, -0.1, 1.1, Double.NaN}) {
            assertThatThrownBy(() -> LocalEngine.builder().stripedGates(share))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("share");
        }
    }
}
