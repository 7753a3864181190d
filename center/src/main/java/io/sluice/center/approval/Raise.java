package io.sluice.center.approval;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import java.math.BigInteger;

/**
 * Compares the numbers of a limit. Pure functions.
 *
 * <p>A limit has two numbers that matter: how much it grants at one moment, and how much it grants over time. A shorter window
 * raises the second, and so does a shorter time after which a permit in flight expires. Both must stay within the bound. A limit
 * of 0 always refuses, so any number above it is beyond every bound.
 */
public final class Raise {

    private static final BigInteger HUNDRED = BigInteger.valueOf(100);

    private Raise() {}

    /**
     * Returns whether other numbers allow more than a bound.
     *
     * @param percent the bound, in percent of the numbers before
     */
    public static boolean isBeyond(Limit before, Limit after, long percent) {
        if (after.capacity() == 0) {
            return false;
        }
        if (before.capacity() == 0 || !before.algorithm().equals(after.algorithm())) {
            return true;
        }
        return isMore(before.capacity(), 1, after.capacity(), 1, percent)
                || isMore(permits(before), micros(before), permits(after), micros(after), percent);
    }

    /** Returns whether {@code after / afterMicros} is more than the bound of {@code before / beforeMicros}. */
    private static boolean isMore(long before, long beforeMicros, long after, long afterMicros, long percent) {
        BigInteger now = product(after, beforeMicros).multiply(HUNDRED);
        return now.compareTo(product(before, afterMicros).multiply(BigInteger.valueOf(percent))) > 0;
    }

    private static BigInteger product(long one, long other) {
        return BigInteger.valueOf(one).multiply(BigInteger.valueOf(other));
    }

    private static long permits(Limit limit) {
        Rate rate = limit.rate();
        return rate == null ? limit.capacity() : rate.permits();
    }

    private static long micros(Limit limit) {
        Rate rate = limit.rate();
        return rate == null ? limit.windowMicros() : rate.perMicros();
    }
}
