package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.redis.store.StoreListener;
import io.sluice.redis.store.StoreState;
import io.sluice.runtime.fleet.StoreHealth;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StoreCallsTest {

    private final ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
    private final List<String> heard = new ArrayList<>();
    private final StoreCalls calls = new StoreCalls(clock, new StoreListener() {
        @Override
        public void called(String outcome, int decisions, long nanos) {
            heard.add(outcome + " " + decisions + " " + nanos);
        }

        @Override
        public void changed(StoreState state) {
            heard.add(state.reason());
        }
    });

    @Test
    void isZeroWithoutCalls() {
        assertThat(calls.lately()).isEqualTo(new StoreHealth(StoreHealth.Kind.REDIS, 0, 0, 0, 0, 1_790_000_000_000L));
    }

    @Test
    void measuresAnswersAndCountsErrors() {
        for (int i = 0; i < 98; i++) {
            called("ok", 300);
        }
        called("late", 60_000);
        called("late", 60_000);
        called("redis-disconnected", 0);

        StoreHealth lately = calls.lately();

        // A percentile is at most a quarter too high.
        assertThat(lately.p50Micros()).isBetween(300L, 375L);
        assertThat(lately.p99Micros()).isBetween(60_000L, 75_000L);
        assertThat(lately.calls()).isEqualTo(101);
        assertThat(lately.errors()).isEqualTo(3);
    }

    @Test
    void forgetsCallsAfterTenSeconds() {
        called("redis-disconnected", 0);
        called("ok", 5_000);
        for (int second = 0; second < 9; second++) {
            clock.advance(Duration.ofSeconds(1));
            assertThat(calls.lately().calls()).as("after second " + second).isEqualTo(2);
        }
        called("ok", 100);
        clock.advance(Duration.ofSeconds(1));
        assertThat(calls.lately().calls()).isEqualTo(3);
        clock.advance(Duration.ofSeconds(1));

        StoreHealth lately = calls.lately();

        assertThat(lately.calls()).isEqualTo(1);
        assertThat(lately.errors()).isZero();
        assertThat(lately.p99Micros()).isLessThan(200);
        assertThat(lately.asOfMillis()).isEqualTo(1_790_000_011_000L);
    }

    @Test
    void readingsInQuickSuccessionForgetNothing() {
        called("ok", 100);
        for (int i = 0; i < 10_000; i++) {
            assertThat(calls.lately().calls()).isEqualTo(1);
        }
    }

    @Test
    void tellsTheNextListener() {
        calls.called("ok", 7, 100);
        calls.changed(new StoreState(false, "redis-loading", "", 1));

        assertThat(heard).containsExactly("ok 7 100", "redis-loading");
    }

    private void called(String outcome, long micros) {
        calls.called(outcome, 1, TimeUnit.MICROSECONDS.toNanos(micros));
    }
}
