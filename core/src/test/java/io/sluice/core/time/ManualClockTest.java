package io.sluice.core.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ManualClockTest {

    @Test
    void runsAlarmsInOrderEachAtItsMoment() {
        ManualClock clock = ManualClock.at(1_000);
        List<String> ran = new ArrayList<>();
        clock.at(2_000, () -> ran.add("second at " + clock.nanoTime()));
        clock.at(1_000, () -> {
            ran.add("first at " + clock.nanoTime());
            clock.at(1_500, () -> ran.add("nested at " + clock.nanoTime()));
        });
        Clock.Alarm cancelled = clock.at(1_200, () -> ran.add("cancelled"));
        cancelled.cancel();
        clock.advance(Duration.ofNanos(999));
        assertThat(ran).isEmpty();
        clock.advance(Duration.ofNanos(5_000));
        assertThat(ran).containsExactly("first at 1000", "nested at 1500", "second at 2000");
        assertThat(clock.nanoTime()).isEqualTo(5_999);
        assertThat(clock.epochMicros()).isEqualTo(1_005);
    }

    @Test
    void runsAtOnceWhatIsDue() {
        ManualClock clock = ManualClock.at(0);
        List<String> ran = new ArrayList<>();
        clock.at(-1, () -> ran.add("due"));
        assertThat(ran).containsExactly("due");
    }

    @Test
    void letsOnlyTheWallClockStepBack() {
        ManualClock clock = ManualClock.at(5_000_000);
        clock.stepWall(Duration.ofSeconds(-2));
        assertThat(clock.epochMicros()).isEqualTo(3_000_000);
        assertThat(clock.nanoTime()).isZero();
        assertThatThrownBy(() -> clock.advance(Duration.ofSeconds(-1))).hasMessageContaining("expected: zero or more");
    }
}
