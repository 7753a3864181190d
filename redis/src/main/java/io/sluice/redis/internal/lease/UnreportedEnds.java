package io.sluice.redis.internal.lease;

import io.sluice.redis.internal.wire.EndedLease;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The ended leases of one count that the store does not know about yet. They are reported with the next request, or after a while without a
 * request. If the store may not have received a report, it is repeated, up to {@value #TIMES} times in total and with up to {@value #MOST}
 * leases at a time. After that, a lease simply expires in the store. Not thread-safe.
 */
final class UnreportedEnds {

    private static final int TIMES = 5;
    private static final int MOST = 32;
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private record Owed(EndedLease ended, long dueNanos) {}

    private final List<Owed> owed = new ArrayList<>();
    private List<EndedLease> beingTold = List.of();
    private long sinceNanos;

    /** The number of reports in a row that have failed, the last of them at {@link #sinceNanos}. */
    private int failures;

    /**
     * Adds an ended lease.
     *
     * @param dueNanos the time at which it no longer waits to be reported with a request
     */
    void add(EndedLease ended, long dueNanos) {
        if (owed.size() < MOST) {
            owed.add(new Owed(ended, dueNanos));
        }
    }

    boolean isEmpty() {
        return owed.isEmpty() && beingTold.isEmpty();
    }

    /** Takes all ends, to be reported with a request. */
    List<EndedLease> take() {
        List<EndedLease> all = owed.stream().map(Owed::ended).toList();
        owed.clear();
        return all;
    }

    /** Takes all ends as soon as one has waited long enough. Takes none while other ends are being reported. */
    List<EndedLease> due(long nowNanos) {
        if (!beingTold.isEmpty() && nowNanos - sinceNanos >= AGAIN_NANOS) {
            told(beingTold, false, nowNanos);
        }
        // This pause applies to all due ends: a store that is unavailable for a moment must not use up all attempts.
        boolean tooSoon = failures > 0 && nowNanos - sinceNanos < AGAIN_NANOS;
        if (!beingTold.isEmpty() || tooSoon || owed.stream().noneMatch(one -> nowNanos - one.dueNanos >= 0)) {
            return List.of();
        }
        beingTold = take();
        sinceNanos = nowNanos;
        return beingTold;
    }

    /** Records whether the ends taken by {@link #due} were received. Only the first call for them counts. */
    @SuppressWarnings("ReferenceEquality") // the same report, not equal leases
    void told(List<EndedLease> ended, boolean known, long nowNanos) {
        if (ended != beingTold) {
            return;
        }
        failures = known ? 0 : failures + 1;
        if (!known && failures < TIMES) {
            beingTold.forEach(one -> add(one, nowNanos + AGAIN_NANOS));
        }
        beingTold = List.of();
    }
}
