package io.sluice.benchmarks.doors;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OpenLoopTest {

    /** The current time. It passes only while the load waits. */
    private final AtomicLong now = new AtomicLong();

    private OpenLoop load(OpenLoop.Sender sender) {
        return new OpenLoop(sender, now::get, now::addAndGet);
    }

    @Test
    void sendsAtTheGivenRate() throws InterruptedException {
        OpenLoop load = load((number, outcome) -> outcome.answered(number % 2 == 0));
        Latencies latencies = load.run(10_000, Duration.ofMillis(100));
        assertThat(latencies.count()).isEqualTo(1_000);
        assertThat(load.failed()).isEqualTo(500);
        assertThat(now.get())
                .isBetween(
                        Duration.ofMillis(99).toNanos(), Duration.ofMillis(100).toNanos());
    }

    @Test
    void latencyOfRequestsDelayedByAStallCountsFromWhenTheyWereDue() throws InterruptedException {
        long stands = Duration.ofMillis(100).toNanos();
        OpenLoop load = load((number, outcome) -> {
            now.addAndGet(number == 0 ? stands : 0);
            outcome.answered(true);
        });
        Latencies latencies = load.run(1_000, Duration.ofMillis(100));
        assertThat(latencies.quantile(0.5)).isBetween(stands * 49 / 100, stands * 53 / 100);
        assertThat(latencies.quantile(1)).isBetween(stands, stands * 104 / 100);
    }

    @Test
    void keepsSendingWhileNothingIsAnswered() throws InterruptedException {
        List<OpenLoop.Outcome> waiting = new ArrayList<>();
        OpenLoop load = load((number, outcome) -> {
            waiting.add(outcome);
            if (waiting.size() == 100) {
                waiting.forEach(each -> each.answered(true));
            }
        });
        assertThat(load.run(1_000, Duration.ofMillis(100)).count()).isEqualTo(100);
    }
}
