package io.sluice.core.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Seeded;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

final class StripesTest {

    private final AtomicLong left = new AtomicLong();

    private boolean takeOfCount(long permits) {
        long there = left.get();
        while (there >= permits) {
            if (left.compareAndSet(there, there - permits)) {
                return true;
            }
            there = left.get();
        }
        return false;
    }

    @Test
    void neverHasMoreOutstandingThanAllowedAndRefusesOnlyWhenNothingIsLeft() {
        Seeded random = Seeded.random("stripes");
        for (int round = 0; round < 200; round++) {
            long most = random.magnitude(1, 100_000);
            Stripes stripes = new Stripes(1 + random.nextInt(8), most, 10_000, this::takeOfCount);
            long charged = random.magnitude(1, 50_000);
            left.set(charged);
            long taken = 0;
            for (int i = 0; i < 2_000; i++) {
                long permits = random.magnitude(1, 100);
                long before = left.get() + stripes.outstanding();
                if (stripes.take(permits)) {
                    taken += permits;
                } else {
                    assertThat(left.get()).as("%s", random).isLessThan(permits);
                }
                assertThat(stripes.outstanding()).as("%s", random).isLessThanOrEqualTo(most);
                assertThat(left.get() + stripes.outstanding()).isLessThanOrEqualTo(before);
            }
            assertThat(taken + left.get() + stripes.outstanding())
                    .as("%s", random)
                    .isEqualTo(charged);
        }
    }

    @Test
    void loneCallerGetsEveryPermit() {
        Stripes stripes = new Stripes(2, 100, 10_000, this::takeOfCount);
        left.set(1_000);
        for (int i = 0; i < 1_000; i++) {
            assertThat(stripes.take(1)).isTrue();
        }
        assertThat(stripes.take(1)).isFalse();
        assertThat(stripes.outstanding()).isZero();
    }

    @Test
    void aLimitTooSmallToShareIsTakenOneByOne() {
        Stripes stripes = new Stripes(2, 7, 10_000, this::takeOfCount);
        left.set(10);
        for (int i = 9; i >= 0; i--) {
            assertThat(stripes.take(1)).isTrue();
            assertThat(left.get()).isEqualTo(i);
        }
    }

    @Test
    void manyThreadsTakeExactlyWhatThereIs() throws InterruptedException {
        long permits = Seeded.scaled(2_000_000);
        for (int threads : new int[] {2, 7}) {
            left.set(permits);
            Stripes stripes = new Stripes(2, 1_000, 10_000, this::takeOfCount);
            LongAdder taken = new LongAdder();
            List<Thread> all = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                Thread thread = new Thread(() -> {
                    // A refusal may be due to permits that were moving from the count to a stripe.
                    while (left.get() > 0 || stripes.outstanding() > 0) {
                        if (stripes.take(1)) {
                            taken.increment();
                        }
                    }
                });
                all.add(thread);
                thread.start();
            }
            for (Thread thread : all) {
                thread.join();
            }
            assertThat(taken.sum() + left.get() + stripes.outstanding()).isEqualTo(permits);
        }
    }

    @Test
    void noTakeIsRefusedBecauseOthersUseTheSameStripe() throws InterruptedException {
        LongAdder refusedForNothing = new LongAdder();
        for (long round = Seeded.scaled(200); round > 0; round--) {
            left.set(10_000);
            Stripes stripes = new Stripes(1, 20_000, 10_000, this::takeOfCount);
            assertThat(stripes.take(1)).isTrue();
            List<Thread> all = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                Thread thread = new Thread(() -> {
                    while (stripes.outstanding() > 0) {
                        // Nothing is added any more: permits that are there after a refusal were there all the time.
                        if (!stripes.take(1) && stripes.outstanding() > 0) {
                            refusedForNothing.increment();
                        }
                    }
                });
                all.add(thread);
                thread.start();
            }
            for (Thread thread : all) {
                thread.join();
            }
        }
        assertThat(refusedForNothing.sum()).isZero();
    }
}
