package io.sluice.core;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.CountKey;
import io.sluice.core.spi.Demand;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Some callers start to wait while others return permits, in every interleaving that Lincheck has time for. Which caller gets a
 * permit depends on more than the order of the calls. But once everything is quiet, no caller waits for a free permit.
 */
final class WaitQueuesInterleavingsTest {

    @Test
    void noInterleavingLosesAWakeUp() {
        new ModelCheckingOptions()
                .iterations((int) Seeded.scaled(2, 50))
                .invocationsPerIteration((int) Seeded.scaled(100, 300))
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(0)
                .sequentialSpecification(Untold.class)
                .check(OnePermit.class);
    }

    /** One permit, free at first, and the callers that queue for it. */
    public static class OnePermit {

        private static final Demand DEMAND = Demand.of(Limit.named("one").concurrency(1, Duration.ofHours(1)), "k", 1);
        private static final Ask ASK = Ask.charging(List.of(DEMAND));
        private static final CountKey COUNT = CountKey.of(DEMAND.limit(), DEMAND.key());
        private static final List<Charge> CHARGES =
                List.of(new Charge(DEMAND.limit(), DEMAND.key(), 1, 0, DEMAND.holder()));

        private final WaitQueues lines = new WaitQueues(this::ask);
        private final AtomicInteger free = new AtomicInteger(1);
        private final AtomicInteger came = new AtomicInteger();
        private final AtomicInteger passed = new AtomicInteger();
        private final AtomicInteger released = new AtomicInteger();

        @Operation
        public void come() {
            came.incrementAndGet();
            Waiter<?> waiter = new Waiter<>(lines.nextTicket(), ASK, 0, 1_000_000, Function.identity());
            if (!lines.joinBehind(waiter)) {
                ask(waiter);
            }
        }

        @Operation
        public void release() {
            int before = released.get();
            if (before < passed.get() && released.compareAndSet(before, before + 1)) {
                free.incrementAndGet();
                lines.freed(CHARGES);
            }
        }

        @Validate
        public void noCallerWaitsForAFreePermit() {
            boolean right = passed.get() + lines.waiting() == came.get()
                    && free.get() + passed.get() - released.get() == 1
                    && (free.get() == 0 || lines.waiting() == 0)
                    && lines.size() == Math.min(1, lines.waiting());
            if (!right) {
                throw new IllegalStateException(came + " came, " + passed + " passed, " + released + " released, "
                        + free + " free, " + lines.waiting() + " wait in " + lines.size() + " lines");
            }
        }

        private void ask(Waiter<?> waiter) {
            long stamp = lines.stamp();
            if (free.compareAndSet(1, 0)) {
                WaitQueue left = lines.leaveAnswered(waiter);
                passed.incrementAndGet();
                lines.serve(left);
            } else {
                lines.keep(waiter, COUNT, stamp);
            }
        }
    }

    /** The specification: no call has a result to check. */
    public static class Untold {

        public void come() {}

        public void release() {}
    }
}
