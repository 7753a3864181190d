package io.sluice.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class DemoTrafficTest {

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private final DemoMix mix = new DemoMix(DemoCaller.all());
    private final AtomicInteger sent = new AtomicInteger();

    @Test
    void aRequestThatCannotBeSentDoesNotEndTheTraffic() {
        try (DemoTraffic traffic = traffic(request -> {
            sent.incrementAndGet();
            throw new IllegalStateException("closed");
        })) {
            run(traffic, 200);
        }
        // More than may be under way at the same time.
        assertThat(sent.get()).isGreaterThan(100);
    }

    @Test
    void aGatewayThatDoesNotAnswerGetsFewRequests() {
        try (DemoTraffic traffic = traffic(request -> {
            sent.incrementAndGet();
            return new CompletableFuture<Void>();
        })) {
            run(traffic, 200);
        }
        assertThat(sent.get()).isEqualTo(40);
    }

    @Test
    void sendsFromAThreadOfItsOwnUntilItIsClosed() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        AtomicReference<String> thread = new AtomicReference<>("");
        try (DemoTraffic traffic = traffic(request -> {
            thread.set(Thread.currentThread().getName());
            first.countDown();
            return CompletableFuture.completedFuture("");
        })) {
            traffic.start();
            assertThat(first.await(5, TimeUnit.MINUTES)).isTrue();
        }
        assertThat(thread.get()).startsWith("sluice-demo-traffic");
    }

    private DemoTraffic traffic(DemoTraffic.Sender sender) {
        return new DemoTraffic(sender, () -> {}, mix, clock);
    }

    private void run(DemoTraffic traffic, int turns) {
        for (int i = 0; i < turns; i++) {
            clock.advance(Duration.ofMillis(100));
            traffic.turn();
        }
    }
}
