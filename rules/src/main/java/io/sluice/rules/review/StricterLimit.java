package io.sluice.rules.review;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Pace;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.TokenBucket;
import java.math.BigInteger;

/**
 * Compares the numbers of two limits: whether the first refuses whenever the second does, provided that everything which the
 * second counts is also counted by the first.
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
        if (strict instanceof TokenBucket bucket && limit instanceof TokenBucket other) {
            return isSlower(bucket.pace(), other.pace()) && bucket.maxWaitMicros() <= other.maxWaitMicros();
        }
        if (strict instanceof LeakyBucket bucket && limit instanceof LeakyBucket other) {
            return bucket.pace().equals(other.pace()) && bucket.maxWaitMicros() <= other.maxWaitMicros();
        }
        if (strict instanceof Concurrency held && limit instanceof Concurrency other) {
            return held.ttl().compareTo(other.ttl()) >= 0;
        }
        if (strict instanceof SlidingLog || limit instanceof SlidingLog) {
            return strict.windowMicros() >= limit.windowMicros();
        }
        if (strict instanceof FixedWindow fixed && limit instanceof FixedWindow other) {
            return strict.shape().equals(limit.shape()) || isWithin(other, fixed);
        }
        return strict.shape().equals(limit.shape()) && (isExact(strict) || !isExact(limit));
    }

    /** Returns whether each window of the first limit lies in one window of the second. */
    private static boolean isWithin(FixedWindow small, FixedWindow large) {
        return small.calendar() == null && large.calendar() == null && large.windowMicros() % small.windowMicros() == 0;
    }

    /** An estimate never counts more than what was used. */
    private static boolean isExact(Limit limit) {
        return !(limit instanceof SlidingWindow sliding && sliding.weighted());
    }

    private static boolean isSlower(Pace slow, Pace fast) {
        return product(slow.permits(), fast.micros()).compareTo(product(fast.permits(), slow.micros())) <= 0;
    }

    private static BigInteger product(long a, long b) {
        return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
    }
}
