package io.sluice.redis.internal.lease;

import io.sluice.redis.internal.wire.EndedLease;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The ended leases of one count that the store is still to be told of: with the next request, or after a while without one. What it
 * may not have heard is told again, {@value #TIMES} times in all, {@value #MOST} leases at once; beyond that a lease ages out in the
 * store by itself. Not safe for use by many threads.
 */
final class UnreportedEnds {

    private static final int TIMES = 5;
    private static final int MOST = 32;
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private record Owed(EndedLease ended, long dueNanos) {}

    private final List<Owed> owed = new ArrayList<>();
    private List<EndedLease> beingTold = List.of();
    private long sinceNanos;

    /** How often in a row it was told in vain, the last time at {@link #sinceNanos}. */
    private int failures;

    /** @param dueNanos when it no longer waits for a request */
    void add(EndedLease ended, long dueNanos) {
        if (owed.size() < MOST) {
            owed.add(new Owed(ended, dueNanos));
        }
    }

    boolean isEmpty() {
        return owed.isEmpty() && beingTold.isEmpty();
    }

    /** All of them, for whoever asks the store anyway. */
    List<EndedLease> take() {
        List<EndedLease> all = owed.stream().map(Owed::ended).toList();
        owed.clear();
        return all;
    }

    /** All of them as soon as one has waited for long enough; none while others are being told. */
    List<EndedLease> due(long nowNanos) {
        if (!beingTold.isEmpty() && nowNanos - sinceNanos >= AGAIN_NANOS) {
            told(beingTold, false, nowNanos);
        }
        // Whatever is due: a store that is away for a moment must not use up all the times.
        boolean tooSoon = failures > 0 && nowNanos - sinceNanos < AGAIN_NANOS;
        if (!beingTold.isEmpty() || tooSoon || owed.stream().noneMatch(one -> nowNanos - one.dueNanos >= 0)) {
            return List.of();
        }
        beingTold = take();
        sinceNanos = nowNanos;
        return beingTold;
    }

    /** Those that were {@link #due} were told, or perhaps not; said once. */
    @SuppressWarnings("ReferenceEquality") // the same telling, not the same leases
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
