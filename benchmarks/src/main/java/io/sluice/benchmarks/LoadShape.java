package io.sluice.benchmarks;

import io.sluice.core.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/**
 * A closed-loop load: each caller sends its next request as soon as it has the answer to the last one.
 *
 * @param callers how many callers ask at the same time
 * @param blocking whether each caller blocks a thread of its own
 * @param keys the number of keys from which each request picks one at random
 */
record LoadShape(String name, int callers, boolean blocking, int keys) {

    private static final long TURN_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int SAMPLES = 50_000;
    private static final int FIRST_SAMPLES = 512;
    private static final List<String> KEYS =
            IntStream.range(0, 1_000).mapToObj(i -> "user-" + i).toList();

    /** The latencies of one caller: the last ones, if there are many. */
    private static final class Samples {
        private int[] micros = new int[FIRST_SAMPLES];
        private long count;

        /** What the caller's own thread used, if there was one and it has ended. */
        private ThreadUse thread = ThreadUse.NOTHING;

        void add(long nanos) {
            if (count == micros.length && count < SAMPLES) {
                micros = Arrays.copyOf(micros, Math.min(SAMPLES, 2 * micros.length));
            }
            micros[(int) (count++ % SAMPLES)] = (int) TimeUnit.NANOSECONDS.toMicros(nanos);
        }
    }

    /** Runs for a second. */
    LoadTurn run(Contender contender, RedisMeter meter) throws InterruptedException {
        return run(contender, meter, TURN_NANOS);
    }

    LoadTurn run(Contender contender, RedisMeter meter, long nanos) throws InterruptedException {
        Clock clock = Clock.system();
        Samples[] samples = new Samples[callers];
        Arrays.setAll(samples, i -> new Samples());
        AtomicBoolean over = new AtomicBoolean();
        CountDownLatch ended = new CountDownLatch(callers);
        RedisMeter.Reading before = meter.read();
        List<Thread> threads = new ArrayList<>();
        long start = clock.nanoTime();
        for (Samples mine : samples) {
            if (blocking) {
                Thread thread = new Thread(() -> block(contender, mine, over, ended, clock));
                threads.add(thread);
                thread.start();
            } else {
                chain(contender, mine, over, ended, clock);
            }
        }
        while (clock.nanoTime() - start < nanos) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        over.set(true);
        ended.await();
        double seconds = (clock.nanoTime() - start) / 1e9;
        for (Thread thread : threads) {
            thread.join();
        }
        RedisMeter.Reading after = meter.read();
        return turn(samples, seconds, before, after);
    }

    private void block(Contender contender, Samples mine, AtomicBoolean over, CountDownLatch ended, Clock clock) {
        try {
            // At least once, also if the machine was busy until the turn was over.
            do {
                long start = clock.nanoTime();
                contender.decide(key());
                mine.add(clock.nanoTime() - start);
            } while (!over.get());
        } finally {
            mine.thread = ThreadUse.ofThisThread();
            ended.countDown();
        }
    }

    private void chain(Contender contender, Samples mine, AtomicBoolean over, CountDownLatch ended, Clock clock) {
        long start = clock.nanoTime();
        contender.decideAsync(key()).whenComplete((done, failure) -> {
            mine.add(clock.nanoTime() - start);
            if (over.get() || failure != null) {
                ended.countDown();
            } else {
                chain(contender, mine, over, ended, clock);
            }
        });
    }

    private String key() {
        return KEYS.get(ThreadLocalRandom.current().nextInt(keys));
    }

    /** Returns every key that a load may use. */
    static List<String> allKeys() {
        return KEYS;
    }

    private static LoadTurn turn(
            Samples[] samples, double seconds, RedisMeter.Reading before, RedisMeter.Reading after) {
        long decisions = 0;
        int kept = 0;
        ThreadUse threads = after.threads().minus(before.threads());
        for (Samples each : samples) {
            decisions += each.count;
            threads = threads.plus(each.thread);
            kept += (int) Math.min(SAMPLES, each.count);
        }
        int[] all = new int[kept];
        int at = 0;
        for (Samples each : samples) {
            int size = (int) Math.min(SAMPLES, each.count);
            System.arraycopy(each.micros, 0, all, at, size);
            at += size;
        }
        Arrays.sort(all);
        return new LoadTurn(
                decisions,
                decisions / seconds,
                all[all.length / 2],
                all[(int) (all.length * 0.99)],
                (double) (after.calls() - before.calls()) / decisions,
                (after.scriptMicros() - before.scriptMicros()) / decisions,
                (after.redisMicros() - before.redisMicros()) / decisions,
                (after.clientMicros() - before.clientMicros()) / decisions,
                threads.micros() / decisions,
                threads.bytes() / decisions);
    }
}
