package io.sluice.redis.internal.refusal;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The last verdict of Redis on a count under the numbers of a limit. Immutable. Times are by the clock of this process.
 *
 * @param count the name of the count in Redis
 * @param verdict the verdict as received
 * @param nanos the time at which it was received
 * @param atMicros the server's time of the answer
 * @param refusal the demands that the count refuses; null if it refuses none
 * @param eased whether permits were returned to the count after Redis answered
 */
record LastVerdict(
        String count,
        Limit limit,
        Verdict verdict,
        long nanos,
        long atMicros,
        @Nullable Refusal refusal,
        boolean eased) {

    /** The time that a verdict is reported although permits were returned meanwhile. */
    private static final long EASED_REPORT_NANOS = DenyCache.UNTOLD.toNanos();

    /**
     * Creates an entry from the verdict on a demand.
     *
     * @param longest the longest time that a refusal is cached
     */
    static LastVerdict of(
            String count,
            Demand demand,
            Verdict verdict,
            long askedNanos,
            long nanos,
            long atMicros,
            Duration longest) {
        Refusal refusal = null;
        if (!verdict.fits()) {
            long most = TimeUnit.NANOSECONDS.toMicros(longest.toNanos());
            long retryMicros = verdict.retryAfterMicros();
            long believed = TimeUnit.MICROSECONDS.toNanos(Math.min(most, retryMicros));
            long retryNanos = nanos + TimeUnit.MICROSECONDS.toNanos(retryMicros == Verdict.NEVER ? most : retryMicros);
            refusal = new Refusal(
                    demand.needed(),
                    demand.permits(),
                    demand.keep() > 0 ? 0 : demand.maxWaitMicros(),
                    askedNanos,
                    askedNanos + believed,
                    retryNanos);
        }
        return new LastVerdict(count, demand.limit(), verdict, nanos, atMicros, refusal, false);
    }

    /** Returns the entry after a return of permits. It no longer refuses any demand. */
    LastVerdict afterReturn() {
        return new LastVerdict(count, limit, verdict, nanos, atMicros, null, true);
    }

    /**
     * Returns whether the verdict is too old to be reported, because permits were returned meanwhile. A verdict on a count that passes
     * is reported for a moment longer, so that frequent returns to one count do not send every refusal of another count to Redis.
     */
    boolean isOutdated(long nowNanos) {
        return eased && !(verdict.fits() && nowNanos - nanos < EASED_REPORT_NANOS);
    }

    boolean isOf(String count, Limit limit) {
        return this.count.equals(count) && this.limit.equals(limit);
    }

    /** Returns whether it still refuses any demand. */
    boolean refuses(long nowNanos) {
        return refusal != null && !refusal.isOver(nowNanos);
    }

    /**
     * Returns whether it refuses the demand.
     *
     * @param longestNanos the longest time since the request was sent for which the refusal is still used
     */
    boolean refuses(Demand demand, long nowNanos, long longestNanos) {
        return refusal != null
                && !refusal.isOver(nowNanos)
                && nowNanos - refusal.askedNanos() < longestNanos
                && refusal.covers(demand);
    }

    /** Merges this verdict with the previous one: of the refused demands, the smallest is kept. */
    LastVerdict after(LastVerdict before, Demand demand) {
        Refusal old = before.refusal;
        boolean kept = old != null && !old.isOver(nanos) && old.covers(demand) == (refusal != null);
        return kept ? new LastVerdict(count, limit, verdict, nanos, atMicros, old, eased) : this;
    }

    /** Returns the verdict for a demand: refused if a refusal is known, otherwise not refused. */
    Verdict told(Demand demand, long nowNanos, long longestNanos) {
        if (refusal == null || !refuses(demand, nowNanos, longestNanos)) {
            return told(true, 0, false, nowNanos);
        }
        boolean never = demand.needed() > limit.capacity();
        boolean kept = demand.keep() > 0 && Math.max(1, demand.atLeast()) <= verdict.remaining();
        return told(false, never ? Verdict.NEVER : micros(refusal.retryNanos() - nowNanos), kept, nowNanos);
    }

    /** Returns an estimate of the server's present time. */
    long serverMicros(long nowNanos) {
        return atMicros + micros(nowNanos - nanos);
    }

    private Verdict told(boolean fits, long retryMicros, boolean kept, long nowNanos) {
        long reset = verdict.resetAfterMicros();
        return new Verdict(
                fits,
                0,
                verdict.remaining(),
                retryMicros,
                reset == Verdict.NEVER ? reset : Math.max(0, reset - micros(nowNanos - nanos)),
                0,
                serverMicros(nowNanos),
                kept);
    }

    private static long micros(long nanos) {
        return Math.max(0, TimeUnit.NANOSECONDS.toMicros(nanos));
    }
}
