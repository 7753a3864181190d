package io.sluice.center.approval;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import java.math.BigInteger;

/**
 * Compares the numbers of limits. Pure functions.
 *
 * <p>A limit has two numbers that matter: the permits that it grants at one moment, and the permits that it grants over time. A
 * shorter window raises the second number, and so does a shorter expiry of permits in flight. Both numbers must stay within the
 * bound. A limit of 0 refuses every request, so any number above 0 exceeds every bound.
 */
public final class Raise {

    private static final BigInteger HUNDRED = BigInteger.valueOf(100);

    private Raise() {}

    /**
     * Returns whether a changed limit exceeds a bound.
     *
     * @param percent the bound, in percent of the numbers before the change
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

    /** Returns whether {@code after / afterMicros} exceeds {@code percent} percent of {@code before / beforeMicros}. */
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
