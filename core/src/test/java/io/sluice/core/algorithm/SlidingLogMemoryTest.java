package io.sluice.core.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

final class SlidingLogMemoryTest {

    /** The oldest of three is given back each time, so that no emptied entry is ever the last one. */
    @Test
    void permitsThatWereGivenBackLeaveNoEntryBehind() {
        SlidingLog limit = Limit.named("log").slidingLog(1_000, Duration.ofDays(1));
        SlidingLogCount count = new SlidingLogCount(limit);
        Demand one = Demand.of(limit, "k", 1);
        Deque<Charge> held = new ArrayDeque<>();
        for (long micros = 1; micros <= 10_000; micros++) {
            assertThat(count.grant(one, micros)).isEqualTo(1);
            count.charge(one, 1, micros);
            held.addLast(new Charge(limit, "k", 1, micros, ""));
            if (held.size() > 3) {
                count.giveBack(held.removeFirst(), micros);
            }
            assertThat(count.entries()).isLessThanOrEqualTo(4);
        }
        assertThat(count.grant(Demand.of(limit, "k", 997), 10_001)).isEqualTo(997);
        assertThat(count.grant(Demand.of(limit, "k", 998), 10_001)).isZero();
    }
}
