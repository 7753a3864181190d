package io.sluice.rules.review;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Pace;
import java.math.BigInteger;
import java.util.Objects;

/**
 * Compares the numbers of two limits: decides whether the first refuses whenever the second does, provided that the first also
 * counts all requests that the second counts.
 */
final class StricterLimit {

    private StricterLimit() {}

    /** Returns whether the first limit is provably at least as strict. */
    static boolean isAtLeast(Limit strict, Limit limit) {
        if (strict.capacity() == 0) {
            return true;
        }
        if (strict.capacity() > limit.capacity() || !strict.algorithm().equals(limit.algorithm())) {
            return false;
        }
        return switch (strict.kind()) {
            case TOKEN_BUCKET -> isSlower(strict, limit) && strict.maxWaitMicros() <= limit.maxWaitMicros();
            case LEAKY_BUCKET -> pace(strict).equals(pace(limit)) && strict.maxWaitMicros() <= limit.maxWaitMicros();
            case FIXED_WINDOW -> strict.shape().equals(limit.shape()) || isWithin(limit, strict);
            // An estimate never exceeds the actual use.
            case SLIDING_WINDOW -> strict.shape().equals(limit.shape()) && (!strict.weighted() || limit.weighted());
            case SLIDING_LOG, CONCURRENCY -> strict.windowMicros() >= limit.windowMicros();
        };
    }

    /** Returns whether each window of the first limit lies in one window of the second. */
    private static boolean isWithin(Limit small, Limit large) {
        return !small.followsCalendar() && !large.followsCalendar() && large.windowMicros() % small.windowMicros() == 0;
    }

    private static boolean isSlower(Limit slow, Limit fast) {
        Pace one = pace(slow);
        Pace other = pace(fast);
        return product(one.permits(), other.micros()).compareTo(product(other.permits(), one.micros())) <= 0;
    }

    private static Pace pace(Limit limit) {
        return Objects.requireNonNull(limit.pace());
    }

    private static BigInteger product(long a, long b) {
        return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
    }
}
