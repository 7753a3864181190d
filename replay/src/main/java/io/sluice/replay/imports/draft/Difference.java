package io.sluice.replay.imports.draft;

import java.time.Duration;

/**
 * The maximum difference in admissions between an original and its rule, in words.
 *
 * <p>Windows of the same length that begin at different times each admit between zero and twice the limit in a span of their length, and
 * refused requests are not repeated, so there is no better bound over a long time. The permits in two buckets that fill in different steps
 * differ by at most one step. Once one of them has admitted that many more, it has fewer permits left than the other, so the difference
 * does not grow until both are full again.
 */
public final class Difference {

    private Difference() {}

    /** Describes windows that begin at another time, such as {@code with the first request of a caller}. */
    public static String ofWindows(String begin, long limit, Duration window) {
        return "windows of the original begin " + begin + "; here they begin at multiples of " + Amounts.span(window)
                + " since 1970, so in any span of " + Amounts.span(window) + " up to " + 2 * limit
                + " requests more or fewer pass";
    }

    /** Describes permits that are refilled in steps of this size instead of evenly. */
    public static String ofSteps(long step) {
        return "here they come evenly, so until a count is full again up to " + step + " requests more or fewer pass";
    }
}
