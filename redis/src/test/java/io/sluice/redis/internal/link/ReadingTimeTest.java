package io.sluice.redis.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;

final class ReadingTimeTest {

    private static final Duration TURN = ReadingTime.TURN;

    private final ManualClock clock = QuietClock.at(0);
    private final Queue<Runnable> turns = new ArrayDeque<>();
    private final ReadingTime time = new ReadingTime(clock, turns::add);

    @Test
    void passesLikeTheClockWhileTheThreadTurns() {
        time.sent();
        long sent = time.nanos();
        for (int i = 0; i < 10; i++) {
            clock.advance(TURN);
            turns.remove().run();
        }
        clock.advance(Duration.ofMillis(1));

        assertThat(time.nanos() - sent)
                .isEqualTo(TURN.multipliedBy(10).plusMillis(1).toNanos());
    }

    @Test
    void aPauseCountsAsOneTurn() {
        time.sent();
        long sent = time.nanos();
        clock.advance(Duration.ofSeconds(10));
        assertThat(time.nanos() - sent).isEqualTo(TURN.toNanos());
        turns.remove().run();
        clock.advance(Duration.ofSeconds(10));

        assertThat(time.nanos() - sent).isEqualTo(2 * TURN.toNanos());
    }

    @Test
    void turnsOnlyWhileACallIsUnderWay() {
        assertThat(turns).isEmpty();
        time.sent();
        time.sent();
        assertThat(turns).hasSize(1);
        time.landed();
        turns.remove().run();
        assertThat(turns).hasSize(1);
        time.landed();
        turns.remove().run();
        assertThat(turns).isEmpty();
        time.sent();
        assertThat(turns).hasSize(1);
    }

    @Test
    void neverRunsBackwards() {
        long before = time.nanos();
        for (int i = 0; i < 20; i++) {
            clock.advance(Duration.ofMillis(7));
            time.sent();
            assertThat(time.nanos()).isGreaterThanOrEqualTo(before);
            before = time.nanos();
            time.landed();
            turns.remove().run();
            assertThat(time.nanos()).isGreaterThanOrEqualTo(before);
            before = time.nanos();
        }
    }
}
