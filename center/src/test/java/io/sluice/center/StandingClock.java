package io.sluice.center;

import io.sluice.core.time.ManualClock;
import io.sluice.testkit.Await;
import java.time.Duration;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/**
 * Moves a clock until an answer has a status. A conversation of the center with an identity server may be under way while the clock moves,
 * and is then late and repeated after some seconds. So the clock stands still for many answers between two moves.
 */
final class StandingClock {

    private static final Duration MAX_WAIT = Duration.ofMinutes(5);
    private static final Duration STEP = Duration.ofSeconds(10);
    private static final int ANSWERS = 200;

    private StandingClock() {}

    static void until(ManualClock clock, int status, IntSupplier answer) {
        Await.until("status " + status, MAX_WAIT, () -> {
            clock.advance(STEP);
            return IntStream.range(0, ANSWERS).anyMatch(i -> answer.getAsInt() == status);
        });
    }
}
