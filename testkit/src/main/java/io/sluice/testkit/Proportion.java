package io.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.Clock;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Shows that work takes time in proportion to the length of its input, on a machine of any speed. Work on one long input is compared with
 * work on short inputs of the same total length. Quadratic work takes {@value #PARTS} times as long on the long input. On a busy machine a
 * comparison may be unfair, so it is repeated until a comparison is fair. Work that is not in proportion never passes.
 */
public final class Proportion {

    private static final int PARTS = 50;

    /** The maximum ratio, between 1 for work in proportion and {@value #PARTS} for quadratic work. */
    private static final int MOST = 6;

    /**
     * The minimum number of tries. First runs are slow, and the short inputs come first, so their slow first runs must not become the best
     * time.
     */
    private static final int FEWEST_TRIES = 20;

    private static final long LONGEST_NANOS = 60_000_000_000L;

    private Proportion() {}

    /**
     * Fails unless the work is in proportion.
     *
     * @param length the length of the long input
     * @param ofLength creates an input of a given length
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
