package io.sluice.node.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class RecordingQueueTest {

    private final List<Object> taken = new ArrayList<>();

    private void drain(RecordingQueue queue) {
        boolean unused = queue.drain(taken::add);
    }

    @Test
    void keepsTheOrderAcrossItsEnd() {
        RecordingQueue queue = new RecordingQueue(4);
        for (int i = 0; i < 10; i++) {
            queue.add(i);
            queue.add(i + 100);
            drain(queue);
        }
        assertThat(taken).startsWith(0, 100, 1, 101).hasSize(20);
        assertThat(queue.dropped()).isZero();
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void dropsEverythingFromTheFirstDropUntilTheGapIsNoted() {
        RecordingQueue queue = new RecordingQueue(2);
        List<Long> gaps = new ArrayList<>();
        queue.add("a");
        queue.add("b");
        queue.add("lost");
        queue.gap(gaps::add);
        assertThat(gaps).as("what came before is not taken yet").isEmpty();
        drain(queue);
        queue.add("lost too, although there is room");
        queue.gap(gaps::add);
        queue.gap(gaps::add);
        queue.add("c");
        drain(queue);
        assertThat(taken).containsExactly("a", "b", "c");
        assertThat(gaps).containsExactly(2L);
        assertThat(queue.dropped()).isEqualTo(2);
    }

    @Test
    void losesNothingUncounted() throws InterruptedException {
        RecordingQueue queue = new RecordingQueue(64);
        AtomicLong gaps = new AtomicLong();
        AtomicBoolean done = new AtomicBoolean();
        int threads = 4;
        int each = 50_000;
        CountDownLatch ready = new CountDownLatch(threads);
        List<Thread> adding = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            adding.add(new Thread(() -> {
                ready.countDown();
                for (int i = 0; i < each; i++) {
                    queue.add(i);
                }
            }));
        }
        Thread reader = new Thread(() -> {
            while (!done.get()) {
                drain(queue);
                queue.gap(gaps::addAndGet);
            }
        });
        adding.forEach(Thread::start);
        ready.await();
        reader.start();
        for (Thread thread : adding) {
            thread.join();
        }
        done.set(true);
        reader.join();
        drain(queue);
        queue.gap(gaps::addAndGet);
        assertThat(taken.size() + gaps.get()).isEqualTo((long) threads * each);
        assertThat(gaps.get()).isEqualTo(queue.dropped());
    }
}
