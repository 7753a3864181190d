package io.sluice.core.spi;

import io.sluice.core.limit.Limit;

/**
 * The policy for taking permits of a shared count in advance and spending them in this process. Immutable.
 *
 * @param size the number of permits in one lease, up to {@link Limit#MAX_PERMITS}; 0 adapts to the request rate of the key
 * @param share the maximum share of a limit on leases, at most 1; 0 takes no permits in advance
 * @param ttlMicros the time for which unspent permits are kept
 */
public record LeasePolicy(long size, double share, long ttlMicros) {

    /** The policy that takes no permits in advance. */
    public static final LeasePolicy NONE = new LeasePolicy(0, 0, 0);

    /** Compensates for binary rounding, so that 0.29 of 100 is 29 and not 28. */
    private static final double ROUNDING = 1 + 1e-15;

    public LeasePolicy {
        if (size < 0 || size > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("size: " + size + " (expected: 0.." + Limit.MAX_PERMITS + ")");
        }
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share: " + share + " (expected: 0..1)");
        }
        if (ttlMicros < 0 || ttlMicros > Demand.MAX_WAIT_MICROS || (ttlMicros == 0 && share > 0)) {
            throw new IllegalArgumentException(
                    "ttlMicros: " + ttlMicros + " (expected: 1.." + Demand.MAX_WAIT_MICROS + ")");
        }
    }

    /**
     * Returns the maximum number of permits of a count on leases, or 0 if the limit is not leased. Sliding logs and concurrency
     * permits are never leased, because a sliding log promises to be exact for each admission, and all processes must know
     * about a held permit.
     */
    public long most(Limit limit) {
        if (share == 0 || !limit.kind().leases()) {
            return 0;
        }
        return Math.min(limit.capacity(), (long) (share * limit.capacity() * ROUNDING));
    }
}
