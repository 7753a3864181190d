package io.sluice.core.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Verdict;
import io.sluice.core.time.ManualClock;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The fastest way to a decision keeps permits for others as every other way does. */
final class KeepingGatesTest {

    private static final Limit TEN =
            Limit.named("ten").tokenBucket(Rate.perSecond(3)).withBurst(10);

    private final ManualClock clock = ManualClock.at(1_790_000_000_000_000L);

    @Test
    void answersLikeTheEngine() {
        Random random = new Random(30);
        LocalEngine one = new LocalEngine(clock);
        LocalEngine other = new LocalEngine(clock);
        Gates gates = one.gates(TEN);
        int kept = 0;
        for (int i = 0; i < 2_000; i++) {
            long permits = 1L + random.nextInt(4);
            long keep = random.nextInt(13);
            Verdict verdict = gates.pass("key", permits, keep);
            Demand demand = Demand.of(TEN, "key", permits).keeping(keep);
            EngineDecision decided = (EngineDecision) other.decide(Ask.charging(List.of(demand)));
            assertThat(verdict).isEqualTo(decided.verdicts().get(0));
            kept += verdict.keptForOthers() ? 1 : 0;
            clock.advance(Duration.ofMillis(random.nextInt(400)));
        }
        assertThat(kept).isPositive();
    }

    @Test
    void refusesToKeepLessThanNothing() {
        Gates gates = new LocalEngine(clock).gates(TEN);
        assertThatThrownBy(() -> gates.pass("key", 1, -1)).hasMessageStartingWith("keep: -1 (expected: ");
    }

    @Test
    void keepsTheSameShareOfAnotherLimit() {
        Random random = new Random(30);
        for (int i = 0; i < 10_000; i++) {
            long whole = 1 + (random.nextLong() >>> 1) % (i % 2 == 0 ? 1_000 : Limit.MAX_CAPACITY);
            long part = 1 + (random.nextLong() >>> 1) % whole;
            long keep = (random.nextLong() >>> 1) % (whole + 1);
            BigInteger product = BigInteger.valueOf(keep).multiply(BigInteger.valueOf(part));
            BigInteger up = product.add(BigInteger.valueOf(whole - 1)).divide(BigInteger.valueOf(whole));
            Demand demand = Demand.of(bucket(whole), "key", 1).keeping(keep);
            assertThat(demand.keepOf(bucket(part))).isEqualTo(up.longValueExact());
            assertThat(demand.on(bucket(part)).keep()).isEqualTo(up.longValueExact());
        }
    }

    private static Limit bucket(long burst) {
        return Limit.named("some").tokenBucket(Rate.perSecond(1)).withBurst(burst);
    }
}
