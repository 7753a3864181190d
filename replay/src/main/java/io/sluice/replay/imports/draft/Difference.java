package io.sluice.replay.imports.draft;

import java.time.Duration;

/**
 * How many admissions an original and its rule can differ by, in words.
 *
 * <p>Windows of the same length that begin at different times each admit nothing to twice the limit in a span of their length, and
 * refused requests do not come back, so over a long time nothing better can be said. Two buckets that fill in different steps hold
 * permits that differ by at most one step. Once one of them has admitted that many more, it has fewer permits left than the other, so
 * the difference does not grow until both are full again.
 */
public final class Difference {

    private Difference() {}

    /** Windows begin at another time, such as {@code with the first request of a caller}. */
    public static String ofWindows(String begin, long limit, Duration window) {
        return "windows of the original begin " + begin + "; here they begin at multiples of " + Amounts.span(window)
                + " since 1970, so in any span of " + Amounts.span(window) + " up to " + 2 * limit
                + " requests more or fewer pass";
    }

    /** Permits come in steps of this size instead of evenly. */
    public static String ofSteps(long step) {
        return "here they come evenly, so until a count is full again up to " + step + " requests more or fewer pass";
    }
}
