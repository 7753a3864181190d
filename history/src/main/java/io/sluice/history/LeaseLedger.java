package io.sluice.history;

import io.sluice.core.algorithm.StepBack;
import io.sluice.core.history.StepEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The leases of one count, as the store must have recorded them. */
final class LeaseLedger {

    /**
     * A recorded lease.
     *
     * @param sure true if the store certainly has a record of the lease, unless it has dropped the record because the lease ended long ago
     */
    private record Lease(StepEvent.Granted granted, boolean sure, boolean ended) {}

    private final boolean steady;
    private final Map<String, Lease> leases = new HashMap<>();
    private final List<StepEvent.Granted> live = new ArrayList<>();
    private long longestMicros;
    private long unknownUntil = Long.MIN_VALUE;
    private long latestMicros = Long.MIN_VALUE;

    /**
     * Creates a ledger without leases.
     *
     * @param steady true if the store's time never stepped back far. Otherwise the store may have dropped the record of any lease: its time
     *     may have been ahead when it went through the leases in a step whose answer was lost
     */
    LeaseLedger(boolean steady) {
        this.steady = steady;
    }

    /** Notes the time of a step. Call it for each step before any other method. */
    void at(long nowMicros) {
        latestMicros = Math.max(latestMicros, nowMicros);
    }

    /** Notes that leases of at most this length may have been granted before. */
    void forget(long nowMicros, long longestLeaseMicros) {
        longestMicros = Math.max(longestMicros, longestLeaseMicros);
        forget(nowMicros);
    }

    /** Notes that steps are missing, so leases may have been granted and ended. */
    void forget(long nowMicros) {
        live.clear();
        leases.replaceAll((id, lease) -> new Lease(lease.granted, false, lease.ended));
        unknownUntil = nowMicros + Math.max(longestMicros, 60_000_000) + 2 * StepBack.CLAMPED_MICROS;
    }

    /**
     * Returns a lower bound of the outstanding permits. The store may have forgotten a lease if a step showed a time after the end of the
     * lease.
     */
    long outstanding() {
        if (!steady) {
            return 0;
        }
        live.removeIf(lease -> lease.endsMicros() <= latestMicros);
        long sum = 0;
        for (StepEvent.Granted lease : live) {
            sum += lease.granted();
        }
        return sum;
    }

    /** Returns true if the outstanding permits are known exactly. */
    boolean isExact(long nowMicros) {
        return steady && nowMicros > unknownUntil && nowMicros == latestMicros;
    }

    void add(StepEvent.Granted lease, long nowMicros) {
        longestMicros = Math.max(longestMicros, lease.endsMicros() - nowMicros);
        leases.put(lease.lease(), new Lease(lease, true, false));
        live.add(lease);
    }

    StepEvent.@Nullable Granted find(String lease) {
        Lease known = leases.get(lease);
        return known == null ? null : known.granted;
    }

    /** Records the end of a lease. Returns a sentence about the violation, or null if there is none. */
    @Nullable
    String end(StepEvent.Ended ended) {
        Lease lease = leases.get(ended.lease());
        if (lease == null) {
            return null;
        }
        live.removeIf(other -> other.lease().equals(ended.lease()));
        leases.put(ended.lease(), new Lease(lease.granted, false, true));
        long unspent = lease.granted.granted() - ended.spent();
        if (lease.ended && ended.returned() != 0) {
            return "%d returned from lease %s, which had already ended (expected: 0)"
                    .formatted(ended.returned(), ended.lease());
        }
        boolean lasts = steady && lease.sure && latestMicros < lease.granted.endsMicros();
        if (ended.returned() != unspent && (lasts || ended.returned() != 0)) {
            return "%d returned from lease %s of %d, of which %d were spent (expected: %d)"
                    .formatted(ended.returned(), ended.lease(), lease.granted.granted(), ended.spent(), unspent);
        }
        return null;
    }
}
