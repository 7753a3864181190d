package io.sluice.redis.internal.lease;

import java.time.Duration;

/**
 * Measures how much of a count this process uses, and from that how large the next lease should be. Not thread-safe.
 *
 * <p>A key is cold until {@value #EVIDENCE} callers have come within {@link #OBSERVED}. From then on a lease should last for
 * {@link #HORIZON} at the rate measured since the last request. It is at most twice the permits demanded since then, so that a
 * burst does not lease more than it needs. It is at least half of the previous lease, so that a pause does not start the sizing
 * from scratch.
 */
final class LeaseSizing {

    /** How long a lease should last at the measured rate. */
    static final Duration HORIZON = Duration.ofMillis(100);

    static final Duration OBSERVED = Duration.ofMillis(200);
    static final int EVIDENCE = 8;

    private static final long SHORTEST_NANOS = Duration.ofMillis(1).toNanos();

    private long sinceNanos;
    private long lastNanos;
    private long elsewhere;
    private int calls;
    private long last;

    LeaseSizing(long nowNanos) {
        this.sinceNanos = nowNanos;
        this.lastNanos = nowNanos;
    }

    /** Records a demand that was not served from a lease. */
    void elsewhere(long permits, long nowNanos) {
        lastNanos = nowNanos;
        if (calls < EVIDENCE) {
            if (nowNanos - sinceNanos > OBSERVED.toNanos()) {
                restart(nowNanos);
            }
            calls++;
        }
        elsewhere += permits;
    }

    /** Returns the time of the last demand or answer. */
    long lastNanos() {
        return lastNanos;
    }

    boolean isCold() {
        return calls < EVIDENCE;
    }

    /**
     * Returns how many permits to lease now; 0 if a lease is not worth it.
     *
     * @param spent the permits spent from leases since the last call
     * @param refused whether the last answer was a refusal; then low demand since says nothing
     * @param atOnce how many permits one caller asks for
     */
    long wanted(long spent, boolean refused, long atOnce, long ttlMicros, long nowNanos) {
        long demanded = elsewhere + spent;
        double horizon = Math.min((double) HORIZON.toNanos(), ttlMicros * 1_000.0 / 2);
        double measured = demanded * horizon / Math.max(SHORTEST_NANOS, nowNanos - sinceNanos);
        long wanted = Math.max((long) Math.min(measured, 2.0 * demanded), refused ? last : last / 2);
        restart(nowNanos);
        lastNanos = nowNanos;
        if (wanted < 2 * atOnce) {
            last = 0;
            return 0;
        }
        calls = EVIDENCE;
        last = wanted;
        return wanted;
    }

    private void restart(long nowNanos) {
        sinceNanos = nowNanos;
        elsewhere = 0;
        calls = 0;
    }
}
