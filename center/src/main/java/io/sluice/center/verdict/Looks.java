package io.sluice.center.verdict;

import java.util.OptionalInt;

/**
 * The schedule of looks at a trial: after 1, 2, 4, 8 … intervals. Each look spends a part of the probability of error. A look that can
 * hardly differ from the previous one would make all later looks less able to decide.
 */
public final class Looks {

    private Looks() {}

    /** Returns the number of the look that is due after this many intervals; empty if none is due. */
    public static OptionalInt due(int intervals) {
        return intervals > 0 && Integer.bitCount(intervals) == 1
                ? OptionalInt.of(Integer.numberOfTrailingZeros(intervals) + 1)
                : OptionalInt.empty();
    }
}
