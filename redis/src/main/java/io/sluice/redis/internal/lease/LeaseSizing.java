package io.sluice.redis.internal.lease;

import io.sluice.core.spi.Demand;
import java.time.Duration;

/**
 * Measures this process's use of a count, and derives the size of the next lease. Not thread-safe.
 *
 * <p>A key is cold until {@value #EVIDENCE} callers have come within {@link #OBSERVED}. From then on, a lease should last for
 * {@link #HORIZON} at the rate measured since the last request. It is at most twice the permits demanded since then, so that a
 * burst does not lease more than it needs. It is at least half of the previous lease, so that a pause does not start the sizing
 * from scratch.
 *
 * <p>If the limit has ample room, a lease should last for half its time to live, and may be four times the permits demanded.
 * Without this, each of a thousand keys with little traffic would ask ten times a second. Room is ample for a lease of up to
 * 1/{@value #AMPLE} of the share and of the permits that the limit has left. Near the limit, and for a key that needs much of
 * its share, the first rule applies.
 */
final class LeaseSizing {

    /** The time that a lease should last at the measured rate. */
    static final Duration HORIZON = Duration.ofMillis(100);

    static final Duration OBSERVED = Duration.ofMillis(200);
    static final int EVIDENCE = 8;

    /** A lease of up to this fraction of the room leaves enough for other processes. */
    static final int AMPLE = 16;

    private static final double GROWTH = 2;
    private static final double AMPLE_GROWTH = 4;
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
     * Returns the number of permits to lease now, or 0 if a lease is not worthwhile.
     *
     * @param spent the permits spent from leases since the last call
     * @param refused whether the last answer was a refusal; low demand since a refusal does not count as low use
     * @param room the number of permits of the share that the limit had left by the last answer; 0 if there was no answer
     */
    long wanted(Demand demand, long spent, boolean refused, long room, long nowNanos) {
        double demanded = (double) elsewhere + spent;
        double perNano = demanded / Math.max(SHORTEST_NANOS, nowNanos - sinceNanos);
        double longestNanos = demand.lease().ttlMicros() * 1_000.0 / 2;
        double careful = Math.min(perNano * Math.min((double) HORIZON.toNanos(), longestNanos), GROWTH * demanded);
        double ample = Math.min(Math.min(perNano * longestNanos, AMPLE_GROWTH * demanded), (double) room / AMPLE);
        last = Math.max((long) careful, refused ? last : last / 2);
        long wanted = Math.max(last, (long) ample);
        restart(nowNanos);
        lastNanos = nowNanos;
        if (wanted < 2 * demand.permits()) {
            last = 0;
            return 0;
        }
        calls = EVIDENCE;
        return wanted;
    }

    private void restart(long nowNanos) {
        sinceNanos = nowNanos;
        elsewhere = 0;
        calls = 0;
    }
}
