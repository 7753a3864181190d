package io.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.Clock;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Shows that work takes time in proportion to the length of what it is given, on a machine of any speed: work on one long input is
 * compared with work on short ones that are as long together. What grows with the square takes {@value #PARTS} times as long. On a
 * busy machine a comparison may be unfair, so it is made until one is fair; what is not in proportion never passes.
 */
public final class Proportion {

    private static final int PARTS = 50;

    /** Between 1, which is in proportion, and {@value #PARTS}. */
    private static final int MOST = 6;

    /** What runs for the first time is slow: of short inputs, which come first, that must not be the best. */
    private static final int FEWEST_TRIES = 20;

    private static final long LONGEST_NANOS = 60_000_000_000L;

    private Proportion() {}

    /**
     * Fails unless the work is in proportion.
     *
     * @param length of the long input
     * @param ofLength makes an input
     */
    public static <T> void require(String what, int length, IntFunction<T> ofLength, Consumer<T> work) {
        T large = ofLength.apply(length);
        T small = ofLength.apply(length / PARTS);
        long ofLarge = Long.MAX_VALUE;
        long ofSmall = Long.MAX_VALUE;
        long begin = Clock.system().nanoTime();
        int tries = 0;
        do {
            ofSmall = Math.min(ofSmall, nanos(PARTS, small, work));
            ofLarge = Math.min(ofLarge, nanos(1, large, work));
            tries++;
        } while (tries < FEWEST_TRIES
                || (ofLarge / MOST > ofSmall && Clock.system().nanoTime() - begin < LONGEST_NANOS));
        assertThat(ofLarge / MOST)
                .as("%s: nanoseconds for one of %d, and for %d parts of it", what, length, PARTS)
                .isLessThanOrEqualTo(ofSmall);
    }

    private static <T> long nanos(int times, T input, Consumer<T> work) {
        long start = Clock.system().nanoTime();
        for (int i = 0; i < times; i++) {
            work.accept(input);
        }
        return Clock.system().nanoTime() - start;
    }
}
