package io.sluice.center.verdict;

import java.util.OptionalInt;

/**
 * When to look at a trial: after 1, 2, 4, 8 … intervals. Each look spends a part of the probability of error, so a look that can
 * hardly differ from the last one makes all later ones less able to decide.
 */
public final class Looks {

    private Looks() {}

    /** Returns the number of the look that is due after so many intervals, if one is. */
    public static OptionalInt due(int intervals) {
        return intervals > 0 && Integer.bitCount(intervals) == 1
                ? OptionalInt.of(Integer.numberOfTrailingZeros(intervals) + 1)
                : OptionalInt.empty();
    }
}
