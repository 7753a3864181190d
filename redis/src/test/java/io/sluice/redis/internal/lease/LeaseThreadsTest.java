package io.sluice.redis.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Many threads on one key, on the real clock. */
class LeaseThreadsTest {

    private static final int THREADS = 8;

    @Test
    void aLeaseIsSpentExactlyOnce() throws Exception {
        for (int round = 0; round < 200; round++) {
            HeldLease lease = new HeldLease("l", 1_000, 0, Long.MAX_VALUE, 0);
            AtomicLong taken = new AtomicLong();
            AtomicLong spent = new AtomicLong(-2);
            together(thread -> {
                if (thread == 0) {
                    Thread.onSpinWait();
                    spent.set(lease.close());
                    return;
                }
                for (int i = 0; i < 200; i++) {
                    if (lease.take(2, 2, Long.MAX_VALUE) >= 0) {
                        taken.addAndGet(2);
                        if (i % 3 == 0 && lease.putBack(2)) {
                            taken.addAndGet(-2);
                        }
                    }
                }
            });
            assertThat(spent.get()).isEqualTo(taken.get()).isBetween(0L, 1_000L);
            assertThat(lease.close()).isNegative();
        }
    }

    @Test
    void whatIsAdmittedIsWhatWasCharged() throws Exception {
        long limit = 60_000;
        Limit daily = Limit.named("d").slidingWindow(limit, Duration.ofDays(900));
        Clock clock = Clock.system();
        ExecutorService wire = Executors.newSingleThreadExecutor();
        try {
            LeaseModel model = new LeaseModel(clock::epochMicros, wire::execute);
            model.keepsAsks = false;
            Leases leases = Leases.over(model.engine(), model, clock, LeaseListener.NONE);
            Ask ask = Ask.charging(List.of(Demand.of(daily, "k", 1).leasedBy(new LeasePolicy(0, 0.1, 20_000))));
            AtomicLong admitted = new AtomicLong();
            together(thread -> {
                for (int i = 0; i < 10_000; i++) {
                    EngineDecision decided = decided(leases.decide(ask));
                    if (decided.allowed()) {
                        admitted.incrementAndGet();
                        if (i % 10 == thread) {
                            leases.giveBack(decided.charges(ask))
                                    .toCompletableFuture()
                                    .join();
                            admitted.decrementAndGet();
                        }
                    }
                }
            });
            leases.close();
            // Closing does not wait for long; its messages may still be on the wire.
            Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(
                            limit - model.remaining(daily, "k"))
                    .isEqualTo(admitted.get()));
        } finally {
            wire.shutdownNow();
        }
    }

    @Test
    void whatIsAdmittedIsWhatWasChargedThoughItIsClosedMeanwhile() throws Exception {
        Limit daily = Limit.named("d").slidingWindow(10_000_000, Duration.ofDays(900));
        Clock clock = Clock.system();
        for (int round = 0; round < 30; round++) {
            ExecutorService wire = Executors.newSingleThreadExecutor();
            try {
                LeaseModel model = new LeaseModel(clock::epochMicros, wire::execute);
                model.keepsAsks = false;
                Leases leases = Leases.over(model.engine(), model, clock, LeaseListener.NONE);
                AtomicLong admitted = new AtomicLong();
                AtomicLong decisions = new AtomicLong();
                long closeAt = 50L << (round % 10);
                together(thread -> {
                    Ask ask = Ask.charging(
                            List.of(Demand.of(daily, "k" + thread % 3, 1).leasedBy(new LeasePolicy(0, 0.1, 20_000))));
                    boolean open = true;
                    while (open) {
                        if (outcome(leases.decide(ask)) instanceof EngineDecision decided) {
                            admitted.addAndGet(decided.allowed() ? 1 : 0);
                        } else {
                            open = false;
                        }
                        if (decisions.incrementAndGet() == closeAt) {
                            leases.close();
                        }
                    }
                });
                Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(3 * daily.capacity()
                                - model.remaining(daily, "k0")
                                - model.remaining(daily, "k1")
                                - model.remaining(daily, "k2"))
                        .isEqualTo(admitted.get()));
            } finally {
                wire.shutdownNow();
            }
        }
    }

    private static Outcome outcome(Answer answer) {
        return answer instanceof PendingOutcome pending
                ? pending.outcome()
                        .toCompletableFuture()
                        .orTimeout(60, TimeUnit.SECONDS)
                        .join()
                : (Outcome) answer;
    }

    private static EngineDecision decided(Answer answer) {
        return (EngineDecision) outcome(answer);
    }

    private interface Task {
        void run(int thread) throws Exception;
    }

    private static void together(Task task) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            CountDownLatch ready = new CountDownLatch(THREADS);
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                all.add(threads.submit(() -> {
                    ready.countDown();
                    ready.await();
                    task.run(thread);
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get(300, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
