package io.sluice.redis.internal.lease;

import java.time.Duration;

/**
 * How much of a count this process asks for, and so how much it had better have at hand. Not safe for use by many threads.
 *
 * <p>A key is cold until {@value #EVIDENCE} callers have come within {@link #OBSERVED}. From then on a lease is meant to last for
 * {@link #HORIZON} at the rate since the last request, but it is no more than twice what was asked for since, so that a burst
 * takes nothing away that it would not need; and no less than half of the last one, so that a pause does not start it all again.
 */
final class LeaseSizing {

    /** How long a lease is meant to last. */
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

    /** Notes that somebody asked and was not served from a lease. */
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

    /** When somebody last asked, or was answered. */
    long lastNanos() {
        return lastNanos;
    }

    boolean isCold() {
        return calls < EVIDENCE;
    }

    /**
     * How much had better be leased now; 0 if it is not worth it.
     *
     * @param spent what was spent from leases since the last time
     * @param refused whether the last answer was a refusal: what was not asked for since says nothing
     * @param atOnce what one caller asks for
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
