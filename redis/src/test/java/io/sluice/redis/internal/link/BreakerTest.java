package io.sluice.redis.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class BreakerTest {

    private static final long SLOW = Duration.ofMillis(50).toNanos();

    private final Breaker breaker = new Breaker(Duration.ofMillis(50));

    @Test
    void opensAtTheFifthBadCallInARow() {
        for (int i = 1; i < Breaker.FEWEST_BAD; i++) {
            assertThat(call(true)).isFalse();
        }
        assertThat(call(true)).isTrue();
    }

    @Test
    void opensWhenHalfOfTheLastCallsWentBadAndNotBefore() {
        for (int i = 0; i < 100; i++) {
            assertThat(call(false)).isFalse();
        }
        int bad = 0;
        while (!call(true)) {
            bad++;
            assertThat(bad).isLessThan(Breaker.LAST);
        }
        assertThat(bad + 1).isEqualTo(Breaker.LAST / 2);
    }

    @Test
    void staysClosedWhileEveryThirdCallGoesBad() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(call(i % 3 == 0)).isFalse();
        }
    }

    @Test
    void aGoodCallNeverOpens() {
        for (int i = 0; i < 1_000; i++) {
            call(true);
        }
        assertThat(call(false)).isFalse();
    }

    @Test
    void forgetsOnReset() {
        for (int i = 0; i < 100; i++) {
            call(true);
        }
        breaker.reset(0);
        for (int i = 1; i < Breaker.FEWEST_BAD; i++) {
            assertThat(call(true)).isFalse();
        }
    }

    @Test
    void isStalledOnceNothingHasReturnedForTooLong() {
        assertThat(breaker.isStalled(1_000 * SLOW)).isFalse();
        breaker.sent(0);
        breaker.sent(SLOW);
        assertThat(breaker.isStalled(SLOW)).isFalse();
        assertThat(breaker.isStalled(SLOW + 1)).isTrue();
        breaker.landed(false, SLOW + 2);
        assertThat(breaker.isStalled(SLOW + 2 + SLOW)).isFalse();
        assertThat(breaker.isStalled(SLOW + 3 + SLOW)).isTrue();
        breaker.landed(false, 3 * SLOW);
        assertThat(breaker.isStalled(100 * SLOW)).isFalse();
    }

    private boolean call(boolean bad) {
        breaker.sent(0);
        return breaker.landed(bad, 0);
    }
}
