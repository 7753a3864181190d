package io.sluice.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SilencedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WheelTest {

    @RegisterExtension
    static final SilencedLog PROVOKED = SilencedLog.of(Wheel.class);

    private static final long TICK = 1L << Wheel.TICK_BITS;

    private final List<String> ran = new ArrayList<>();

    @Test
    void runsEachAlarmOnceWithinATickAndNeverBeforeItsTime() {
        Random random = new Random(7);
        long start = -5_000_000_000L;
        Wheel wheel = new Wheel(start);
        AtomicLong now = new AtomicLong(start);
        AtomicInteger left = new AtomicInteger();
        AtomicInteger wrong = new AtomicInteger();
        for (int step = 0; step < 20_000; step++) {
            long at = now.get() - TICK + random.nextLong(Wheel.HORIZON_NANOS);
            long setAt = now.get();
            left.incrementAndGet();
            wheel.at(at, () -> {
                left.decrementAndGet();
                wrong.addAndGet(now.get() < at || now.get() > Math.max(at, setAt) + 3 * TICK ? 1 : 0);
            });
            now.addAndGet(random.nextLong(TICK));
            wheel.turn(now.get());
        }
        while (wheel.nextTick() != Wheel.NEVER) {
            wheel.turn(now.addAndGet(TICK));
        }
        assertThat(left).hasValue(0);
        assertThat(wrong).hasValue(0);
        assertThat(wheel.nextTick()).isEqualTo(Wheel.NEVER);
    }

    @Test
    void doesNotRunWhatWasCancelled() {
        Wheel wheel = new Wheel(0);
        wheel.at(TICK, () -> ran.add("first")).cancel();
        wheel.at(TICK, () -> ran.add("second"));
        wheel.turn(5 * TICK);
        assertThat(ran).containsExactly("second");
    }

    @Test
    void runsTheOthersIfOneFails() {
        Wheel wheel = new Wheel(0);
        wheel.at(TICK, () -> ran.add("first"));
        wheel.at(TICK, () -> {
            throw new AssertionError("of no use");
        });
        wheel.at(2 * TICK, () -> ran.add("second"));
        wheel.turn(5 * TICK);
        assertThat(ran).containsExactly("first", "second");
    }

    @Test
    void runsEverythingDueAfterALongStandstill() {
        Wheel wheel = new Wheel(0);
        for (int i = 0; i < 400; i++) {
            wheel.at(i * TICK, () -> ran.add("due"));
        }
        wheel.turn(3_600_000_000_000L);
        assertThat(ran).hasSize(400);
        assertThat(wheel.nextTick()).isEqualTo(Wheel.NEVER);
    }

    @Test
    void namesTheTickOfTheNextAlarm() {
        Wheel wheel = new Wheel(0);
        assertThat(wheel.nextTick()).isEqualTo(Wheel.NEVER);
        wheel.at(10 * TICK, () -> {});
        wheel.at(3 * TICK, () -> {});
        assertThat(wheel.nextTick()).isEqualTo(4);
    }

    @Test
    void losesNoAlarmThatManyThreadsSetWhileItTurns() throws Exception {
        int threads = 4;
        int each = 50_000;
        CountDownLatch all = new CountDownLatch(threads * each);
        AtomicInteger early = new AtomicInteger();
        List<Thread> setters = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            Random random = new Random(t);
            Thread setter = new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    long at = System.nanoTime() + random.nextLong(20 * TICK) - TICK;
                    Clock.system().at(at, () -> {
                        early.addAndGet(System.nanoTime() - at < 0 ? 1 : 0);
                        all.countDown();
                    });
                }
            });
            setter.start();
            setters.add(setter);
        }
        for (Thread setter : setters) {
            setter.join();
        }
        assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(early).hasValue(0);
    }

    /** Uses a clock that moves only while the thread sleeps for a short time; from a long sleep, only an alarm can wake it. */
    @Test
    void wakesForAnAlarmThatIsSetSoonerThanThoseBefore() throws Exception {
        AtomicLong now = new AtomicLong();
        CountDownLatch sleeps = new CountDownLatch(1);
        CountDownLatch soon = new CountDownLatch(1);
        AtomicLong late = new AtomicLong();
        WheelThread wheel = new WheelThread(now::get, nanos -> {
            if (nanos > 100 * TICK) {
                sleeps.countDown();
                LockSupport.park();
            } else {
                now.addAndGet(nanos);
            }
        });
        wheel.at(370 * TICK, late::incrementAndGet);
        assertThat(sleeps.await(60, TimeUnit.SECONDS)).isTrue();
        wheel.at(5 * TICK, soon::countDown);
        assertThat(soon.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(now).hasValueBetween(5 * TICK, 8 * TICK);
        assertThat(late).hasValue(0);
    }

    /** Uses a clock that moves only while the thread sleeps. */
    @Test
    void runsAlarmsBeyondItsHorizonOnceAndNeverBeforeTheirTime() throws Exception {
        AtomicLong now = new AtomicLong();
        CountDownLatch all = new CountDownLatch(100);
        AtomicInteger wrong = new AtomicInteger();
        CountDownLatch set = new CountDownLatch(1);
        WheelThread wheel = new WheelThread(now::get, nanos -> {
            try {
                set.await();
            } catch (InterruptedException e) {
                wrong.incrementAndGet();
            }
            now.addAndGet(nanos);
        });
        for (int i = 0; i < 100; i++) {
            long at = Wheel.HORIZON_NANOS * i / 7 + i;
            wheel.at(at, () -> {
                wrong.addAndGet(now.get() < at ? 1 : 0);
                all.countDown();
            });
            wheel.at(at, wrong::incrementAndGet).cancel();
        }
        set.countDown();
        assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(wrong).hasValue(0);
    }
}
