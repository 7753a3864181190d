package io.sluice.core.local;

import io.sluice.core.Seeded;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Threads take from stripes at the same time, in every interleaving that Lincheck has time for, and under stress.
 *
 * <p>The stripes together are not one number: a batch on its way from the count to a stripe is in neither, and a search of all
 * stripes does not see a single moment. A take may therefore be refused although the sum was never too small, and a
 * specification has to allow that, but nothing more. {@link Singles} does so by asking again if the count has changed meanwhile
 * or a batch had not arrived. Every remaining answer must be that of a single number: a take that is refused while nothing
 * moves is refused correctly, and a take that passes had a permit. Several permits may also be refused because they lie in
 * different stripes; for {@link Parcels} the requirement is that no permit is lost or granted twice.
 */
final class StripesInterleavingsTest {

    static Stream<Arguments> singles() {
        return Stream.of(
                Arguments.of(OneStripe.class, FiveTold.class),
                Arguments.of(TwoStripes.class, FiveTold.class),
                Arguments.of(DryCount.class, TwoTold.class));
    }

    @ParameterizedTest
    @MethodSource("singles")
    void everyInterleavingIsLinearizable(Class<? extends Singles> singles, Class<?> told) {
        check(interleavings(), singles, told);
    }

    @ParameterizedTest
    @MethodSource("singles")
    void everyRunUnderStressIsLinearizable(Class<? extends Singles> singles, Class<?> told) {
        check(stress(), singles, told);
    }

    @ParameterizedTest
    @ValueSource(classes = {ParcelsInOneStripe.class, ParcelsInTwoStripes.class})
    void noInterleavingLosesAPermitOrHandsItOutTwice(Class<? extends Parcels> parcels) {
        check(interleavings(), parcels, Untold.class);
    }

    @ParameterizedTest
    @ValueSource(classes = {ParcelsInOneStripe.class, ParcelsInTwoStripes.class})
    void noRunUnderStressLosesAPermitOrHandsItOutTwice(Class<? extends Parcels> parcels) {
        check(stress(), parcels, Untold.class);
    }

    private static ModelCheckingOptions interleavings() {
        return new ModelCheckingOptions()
                .iterations((int) Seeded.scaled(1, 30))
                .actorsPerThread(2)
                .invocationsPerIteration(500);
    }

    private static StressOptions stress() {
        return new StressOptions()
                .iterations((int) Seeded.scaled(1, 50))
                .actorsPerThread(3)
                .invocationsPerIteration(1_000);
    }

    private static void check(Options<?, ?> options, Class<?> stripes, Class<?> specification) {
        options.threads(3).actorsBefore(0).actorsAfter(2);
        options.sequentialSpecification(specification).check(stripes);
    }

    /** Stripes with batches of three, in one stripe or two; one batch is there from the start. */
    @Param(name = "permits", gen = IntGen.class, conf = "1:3")
    public abstract static class Singles {

        private final AtomicReference<Count> count;

        /** How many of the draws have arrived at their stripe. */
        private final AtomicInteger arrived = new AtomicInteger();

        private final ThreadLocal<Boolean> drew = ThreadLocal.withInitial(() -> false);
        private final Stripes stripes;

        Singles(int stripes, long permits) {
            this.count = new AtomicReference<>(new Count(permits, 0));
            this.stripes = new Stripes(stripes / 2, 3L * stripes, 100, this::draw);
            take();
        }

        /** What is left, and how often it was drawn on. */
        private record Count(long left, int draws) {}

        @Operation
        public final boolean take() {
            while (true) {
                Count before = count.get();
                boolean still = arrived.get() == before.draws;
                drew.set(false);
                boolean passed = stripes.take(1);
                if (drew.get()) {
                    arrived.incrementAndGet();
                }
                if (passed || (still && count.get().equals(before))) {
                    return passed;
                }
            }
        }

        @Operation(runOnce = true)
        public final void flow(@Param(name = "permits") int permits) {
            count.updateAndGet(now -> new Count(now.left + permits, now.draws));
        }

        private boolean draw(long permits) {
            Count there = count.get();
            while (there.left >= permits) {
                if (count.compareAndSet(there, new Count(there.left - permits, there.draws + 1))) {
                    drew.set(true);
                    return true;
                }
                there = count.get();
            }
            return false;
        }
    }

    public static class OneStripe extends Singles {

        public OneStripe() {
            super(1, 6);
        }
    }

    public static class TwoStripes extends Singles {

        public TwoStripes() {
            super(2, 6);
        }
    }

    /** Everything that is left lies in one of two stripes. */
    public static class DryCount extends Singles {

        public DryCount() {
            super(2, 3);
        }
    }

    public abstract static class Told {

        private int left;

        Told(int left) {
            this.left = left;
        }

        public final boolean take() {
            boolean fits = left > 0;
            left -= fits ? 1 : 0;
            return fits;
        }

        public final void flow(int permits) {
            left += permits;
        }
    }

    public static class FiveTold extends Told {

        public FiveTold() {
            super(5);
        }
    }

    public static class TwoTold extends Told {

        public TwoTold() {
            super(2);
        }
    }

    /** Takes of any size, with batches of four; one batch is there from the start. */
    @Param(name = "permits", gen = IntGen.class, conf = "1:3")
    public abstract static class Parcels {

        private static final long PER_STRIPE = 4;

        private final AtomicLong given = new AtomicLong(9);
        private final AtomicLong left = new AtomicLong(9);
        private final AtomicLong taken = new AtomicLong();
        private final Stripes stripes;
        private final long most;

        Parcels(int stripes) {
            this.most = PER_STRIPE * stripes;
            this.stripes = new Stripes(stripes / 2, most, 100, this::draw);
            take(1);
        }

        @Operation
        public final void take(@Param(name = "permits") int permits) {
            if (stripes.take(permits)) {
                taken.addAndGet(permits);
            }
        }

        @Operation(runOnce = true)
        public final void flow(@Param(name = "permits") int permits) {
            given.addAndGet(permits);
            left.addAndGet(permits);
        }

        @Validate
        public final void allThatWasGivenIsSomewhereOnce() {
            long lies = stripes.outstanding();
            long accounted = taken.get() + left.get() + lies;
            if (accounted != given.get() || lies > most) {
                throw new IllegalStateException("taken " + taken + ", left " + left + ", in stripes " + lies
                        + " (expected: " + given + " together, at most " + most + " in stripes)");
            }
        }

        private boolean draw(long permits) {
            long there = left.get();
            while (there >= permits) {
                if (left.compareAndSet(there, there - permits)) {
                    return true;
                }
                there = left.get();
            }
            return false;
        }
    }

    public static class ParcelsInOneStripe extends Parcels {

        public ParcelsInOneStripe() {
            super(1);
        }
    }

    public static class ParcelsInTwoStripes extends Parcels {

        public ParcelsInTwoStripes() {
            super(2);
        }
    }

    /** Accepts either answer to a take. */
    public static class Untold {

        public void take(int permits) {}

        public void flow(int permits) {}
    }
}
