package io.sluice.benchmarks.doors;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenLoopTest {

    @Test
    void sendsAsManyAsTheRateSays() throws InterruptedException {
        OpenLoop load = new OpenLoop((number, outcome) -> outcome.answered(number % 2 == 0));
        Latencies latencies = load.run(10_000, Duration.ofMillis(100));
        assertThat(latencies.count()).isEqualTo(1_000);
        assertThat(load.failed()).isEqualTo(500);
    }

    @Test
    void whatWasDueWhileItStoodStillCountsFromThen() throws InterruptedException {
        long stands = Duration.ofMillis(100).toNanos();
        OpenLoop load = new OpenLoop((number, outcome) -> {
            long until = System.nanoTime() + (number == 0 ? stands : 0);
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            outcome.answered(true);
        });
        Latencies latencies = load.run(1_000, Duration.ofMillis(100));
        assertThat(latencies.quantile(0.5)).isGreaterThan(stands / 3);
        assertThat(latencies.quantile(1)).isGreaterThanOrEqualTo(stands);
    }

    @Test
    void goesOnSendingWhileNothingIsAnswered() throws InterruptedException {
        List<OpenLoop.Outcome> waiting = new ArrayList<>();
        OpenLoop load = new OpenLoop((number, outcome) -> {
            waiting.add(outcome);
            if (waiting.size() == 100) {
                waiting.forEach(each -> each.answered(true));
            }
        });
        assertThat(load.run(1_000, Duration.ofMillis(100)).count()).isEqualTo(100);
    }
}
