package io.sluice.core.spi;

import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.SlidingLog;

/**
 * How a process may take permits of a shared count in advance and spend them by itself. Immutable.
 *
 * @param size permits in one lease, up to {@link Limit#MAX_PERMITS}; 0: as many as the key's own rate asks for
 * @param share the most of a limit that may be out on leases, at most 1; 0 takes nothing in advance
 * @param ttlMicros how long unspent permits are kept
 */
public record LeasePolicy(long size, double share, long ttlMicros) {

    /** Nothing is taken in advance. */
    public static final LeasePolicy NONE = new LeasePolicy(0, 0, 0);

    /** So that 0.29 of 100 is 29, and not what the nearest double below it makes of it. */
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
     * The most permits of a count that may be out on leases; 0 if it is not leased. A log promises to be exact for each admission,
     * and a permit that is held has to be known to all while it is: neither is ever leased.
     */
    public long most(Limit limit) {
        if (share == 0 || limit instanceof SlidingLog || limit instanceof Concurrency) {
            return 0;
        }
        return Math.min(limit.capacity(), (long) (share * limit.capacity() * ROUNDING));
    }
}
