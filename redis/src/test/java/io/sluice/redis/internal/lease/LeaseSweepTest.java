package io.sluice.redis.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SilencedLog;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LeaseSweepTest {

    @RegisterExtension
    static final SilencedLog PROVOKED = SilencedLog.of(LeaseSweep.class);

    private final ManualClock clock = QuietClock.at(1_700_006_400_000_000L);
    private final AtomicInteger times = new AtomicInteger();

    @Test
    void stopsWhenThereIsNoWorkAndStartsAgain() {
        LeaseSweep sweep = new LeaseSweep(clock, Runnable::run, () -> times.incrementAndGet() % 10 < 3);
        sweep.start();
        clock.advance(LeaseSweep.PERIOD.multipliedBy(20));
        int before = times.get();
        clock.advance(LeaseSweep.PERIOD.multipliedBy(20));
        assertThat(times.get()).isEqualTo(before).isPositive();
        sweep.start();
        clock.advance(LeaseSweep.PERIOD);
        assertThat(times.get()).isGreaterThan(before);
    }

    @Test
    void aSweepThatFailsIsFollowedByTheNext() {
        LeaseSweep sweep = new LeaseSweep(clock, Runnable::run, () -> {
            if (times.incrementAndGet() == 2) {
                throw new IllegalStateException("planted");
            }
            return true;
        });
        sweep.start();
        for (int i = 0; i < 5; i++) {
            advance();
        }
        assertThat(times.get()).isEqualTo(5);
        sweep.close();
    }

    /** Goes on whatever an alarm throws, like the real clock. */
    private void advance() {
        try {
            clock.advance(LeaseSweep.PERIOD);
        } catch (IllegalStateException e) {
            assertThat(e).hasMessage("planted");
        }
    }
}
