package io.sluice.core.spi;

import io.sluice.core.limit.Limit;
import java.math.BigInteger;
import java.util.Objects;
import java.util.UUID;

/**
 * The permits that a request asks of one limit for a key. Immutable.
 *
 * @param limit the limit
 * @param key the key to count by; any text, including the empty text
 * @param permits the permits wanted, 1 to {@link Limit#MAX_PERMITS}. A demand that keeps permits may also want 0: it passes if the kept
 *     permits are available, and is not charged
 * @param atLeast the smallest number of permits that is still useful, 1 to {@code permits}; a smaller number than {@code permits} asks for
 *     a partial grant. 0 if no permits are wanted
 * @param maxWaitMicros the maximum time until a reserved time slot, up to {@link #MAX_WAIT_MICROS}; 0 for no wait
 * @param holder the holder of the permits of a {@link io.sluice.core.limit.Concurrency} limit: a unique name, by which they can
 *     be given back even if the answer was lost; empty for other limits
 * @param label the name of this limit in reports
 * @param guard the multiple of the limit that one process may hold and request from a shared store, see
 *     {@link io.sluice.core.decorator.Guard}; at least 1, or {@link #UNGUARDED}
 * @param lease the policy for taking permits in advance
 * @param keep the permits that must remain for other callers after this demand, 0 to {@link Limit#MAX_CAPACITY}, usually 0. A demand that
 *     keeps permits gets no later slot of a token bucket, because it would take the slot from the other callers. On a leaky bucket it keeps
 *     places in the queue
 */
public record Demand(
        Limit limit,
        String key,
        long permits,
        long atLeast,
        long maxWaitMicros,
        String holder,
        Label label,
        double guard,
        LeasePolicy lease,
        long keep) {

    /** The guard value of a demand without a guard. */
    public static final double UNGUARDED = Double.POSITIVE_INFINITY;

    /** The maximum wait for a time slot, 1000 days. */
    public static final long MAX_WAIT_MICROS = 1_000 * 86_400_000_000L;

    public Demand {
        Objects.requireNonNull(limit, "limit");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(label, "label");
        Objects.requireNonNull(holder, "holder");
        if (holder.isEmpty() == limit.kind().holds()) {
            throw new IllegalArgumentException(
                    "holder: \"" + holder + "\" (expected: a name for a concurrency limit, empty for other limits)");
        }
        Objects.requireNonNull(lease, "lease");
        long fewest = keep > 0 ? 0 : 1;
        if (permits < fewest || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException(
                    "permits: " + permits + " (expected: " + fewest + ".." + Limit.MAX_PERMITS + ")");
        }
        if (atLeast < Math.min(1, permits) || atLeast > permits) {
            throw new IllegalArgumentException(
                    "atLeast: " + atLeast + " (expected: " + Math.min(1, permits) + ".." + permits + ")");
        }
        if (maxWaitMicros < 0 || maxWaitMicros > MAX_WAIT_MICROS) {
            throw new IllegalArgumentException(
                    "maxWaitMicros: " + maxWaitMicros + " (expected: 0.." + MAX_WAIT_MICROS + ")");
        }
        if (!(guard >= 1)) {
            throw new IllegalArgumentException("guard: " + guard + " (expected: at least 1)");
        }
        if (keep < 0 || keep > Limit.MAX_CAPACITY) {
            throw new IllegalArgumentException("keep: " + keep + " (expected: 0.." + Limit.MAX_CAPACITY + ")");
        }
    }

    /** Creates a demand that keeps no permits for other callers. */
    public Demand(
            Limit limit,
            String key,
            long permits,
            long atLeast,
            long maxWaitMicros,
            String holder,
            Label label,
            double guard,
            LeasePolicy lease) {
        this(limit, key, permits, atLeast, maxWaitMicros, holder, label, guard, lease, 0);
    }

    /**
     * Creates a demand for all of {@code permits}, now or in the time slot that the limit gives. It has a new holder and is
     * reported under the limit's own name.
     */
    public static Demand of(Limit limit, String key, long permits) {
        String holder = limit.kind().holds() ? UUID.randomUUID().toString() : "";
        Label label = new Label(limit.name(), limit.name(), "local");
        return new Demand(
                limit, key, permits, permits, limit.maxWaitMicros(), holder, label, UNGUARDED, LeasePolicy.NONE, 0);
    }

    /** Returns this demand on another limit of the same shape. It keeps the same share of that limit for other callers, rounded up. */
    public Demand on(Limit limit) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, guard, lease, keepOf(limit));
    }

    /** Returns the permits that this demand keeps of another limit of the same shape: the same share, rounded up. */
    public long keepOf(Limit other) {
        long whole = limit.capacity();
        long capacity = other.capacity();
        if (keep == 0 || capacity == whole || whole == 0) {
            return keep;
        }
        long product = keep * capacity;
        boolean isExact = product >= 0 && Math.multiplyHigh(keep, capacity) == 0;
        long rounded = isExact ? product / whole + (product % whole == 0 ? 0 : 1) : largeShare(capacity);
        return Math.max(permits == 0 ? 1 : 0, Math.min(Limit.MAX_CAPACITY, rounded));
    }

    /** Returns a share of a large capacity. This takes many times as long as a division of longs, which is enough for nearly all limits. */
    private long largeShare(long capacity) {
        BigInteger product = BigInteger.valueOf(keep).multiply(BigInteger.valueOf(capacity));
        BigInteger[] share = product.divideAndRemainder(BigInteger.valueOf(limit.capacity()));
        return share[0].longValueExact() + (share[1].signum() == 0 ? 0 : 1);
    }

    /** Returns this demand for exactly {@code permits}, with no partial grant. It can be 0 if this demand keeps permits. */
    public Demand permits(long permits) {
        return new Demand(limit, key, permits, permits, maxWaitMicros, holder, label, guard, lease, keep);
    }

    public Demand heldBy(String holder) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, guard, lease, keep);
    }

    public Demand orAtLeast(long atLeast) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, guard, lease, keep);
    }

    public Demand waitingUpTo(long maxWaitMicros) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, guard, lease, keep);
    }

    public Demand labelled(Label label) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, guard, lease, keep);
    }

    public Demand guardedBy(double times) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, times, lease, keep);
    }

    /** Returns this demand with a lease policy: it may be met with permits taken in advance. */
    public Demand leasedBy(LeasePolicy lease) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, guard, lease, keep);
    }

    /** Returns this demand, passing only if at least {@code keep} permits remain after it. */
    public Demand keeping(long keep) {
        return new Demand(limit, key, permits, atLeast, maxWaitMicros, holder, label, guard, lease, keep);
    }

    /**
     * Returns the minimum number of permits that must be free for this demand to pass: the permits that it takes and the permits that it
     * keeps.
     */
    public long needed() {
        return atLeast + keep;
    }

    /** Returns whether this demand charges its count if it passes. A demand for no permits only requires the permits that it keeps. */
    public boolean isCharged() {
        return permits > 0;
    }

    /** Returns whether both demands refer to the same count. */
    public boolean sharesCountWith(Demand other) {
        return key.equals(other.key)
                && limit.name().equals(other.limit.name())
                && limit.shape().equals(other.limit.shape());
    }
}
