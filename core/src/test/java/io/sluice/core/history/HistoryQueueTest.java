package io.sluice.core.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SilencedLog;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class HistoryQueueTest {

    @RegisterExtension
    static final SilencedLog PROVOKED = SilencedLog.of(HistoryQueue.class);

    @Test
    void writesTheEventsOfManyThreadsInTheOrderOfEach() throws Exception {
        Kept kept = new Kept();
        HistoryQueue queue = new HistoryQueue(kept, 16);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            String name = "t" + t;
            threads.add(new Thread(() -> {
                for (int i = 0; i < 5_000; i++) {
                    queue.happened(event(name, i));
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        queue.close();
        assertThat(kept.events).hasSize(20_000);
        for (int t = 0; t < 4; t++) {
            String name = "t" + t;
            assertThat(kept.events.stream().filter(e -> e.count().equals(name)))
                    .isSortedAccordingTo((a, b) -> Long.compare(a.permits(), b.permits()));
        }
        assertThat(queue.lost()).isZero();
        assertThat(kept.lost).isZero();
    }

    @Test
    void losesNothingWhenFullAndWaitsInstead() throws Exception {
        Kept kept = new Kept();
        HistoryQueue queue = new HistoryQueue(kept, 1);
        kept.gate = new CountDownLatch(1);
        Thread teller = new Thread(() -> {
            for (int i = 0; i < 10; i++) {
                queue.happened(event("c", i));
            }
        });
        teller.start();
        kept.gate.countDown();
        teller.join();
        queue.close();
        assertThat(kept.events).hasSize(10);
    }

    @Test
    void countsWhatIsLostWhenWritingFails() {
        HistoryQueue queue = new HistoryQueue(
                new HistoryQueue.Sink() {
                    @Override
                    public void write(HistoryEvent event) {
                        throw new IllegalStateException("full");
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void end(long lost) {}
                },
                4);
        for (int i = 0; i < 100; i++) {
            queue.happened(event("c", i));
        }
        queue.close();
        assertThat(queue.lost()).isEqualTo(100);
    }

    @Test
    void countsWhatComesAfterItWasClosed() {
        HistoryQueue queue = new HistoryQueue(new Kept(), 4);
        queue.close();
        queue.happened(event("c", 1));
        assertThat(queue.lost()).isEqualTo(1);
    }

    private static SpendEvent event(String count, long number) {
        return new SpendEvent("", count, "", number, true, 0, 0, 0, 0);
    }

    private static final class Kept implements HistoryQueue.Sink {

        private final List<SpendEvent> events = Collections.synchronizedList(new ArrayList<>());
        private volatile CountDownLatch gate = new CountDownLatch(0);
        private volatile long lost = -1;

        @Override
        public void write(HistoryEvent event) throws InterruptedException {
            gate.await();
            events.add((SpendEvent) event);
        }

        @Override
        public void flush() {}

        @Override
        public void end(long lost) {
            this.lost = lost;
        }
    }
}
