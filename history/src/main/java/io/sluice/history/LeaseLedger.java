package io.sluice.history;

import io.sluice.core.algorithm.StepBack;
import io.sluice.core.history.StepEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The leases of one count, as the store must have had them in its records. */
final class LeaseLedger {

    /** @param sure whether the store surely has a record of it, if it does not forget it because it ended long ago */
    private record Lease(StepEvent.Granted granted, boolean sure, boolean ended) {}

    private final Map<String, Lease> leases = new HashMap<>();
    private final List<StepEvent.Granted> live = new ArrayList<>();
    private long longestMicros;
    private long unknownUntil = Long.MIN_VALUE;
    private long latestMicros = Long.MIN_VALUE;

    /** Told of each step before anything else. */
    void at(long nowMicros) {
        latestMicros = Math.max(latestMicros, nowMicros);
    }

    /** Steps are missing: leases may have been granted and ended. */
    void forget(long nowMicros) {
        live.clear();
        leases.replaceAll((id, lease) -> new Lease(lease.granted, false, lease.ended));
        unknownUntil = nowMicros + Math.max(longestMicros, 60_000_000) + 2 * StepBack.CLAMPED_MICROS;
    }

    /** What is outstanding at least: of leases whose end has been seen the store may have forgotten all. */
    long outstanding() {
        live.removeIf(lease -> lease.endsMicros() <= latestMicros);
        long sum = 0;
        for (StepEvent.Granted lease : live) {
            sum += lease.granted();
        }
        return sum;
    }

    /** Whether what is outstanding is known exactly. */
    boolean isExact(long nowMicros) {
        return nowMicros > unknownUntil && nowMicros == latestMicros;
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

    /** What is wrong with the end of a lease; null if nothing is. */
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
            return "%d given back of lease %s, which had ended before (expected: 0)"
                    .formatted(ended.returned(), ended.lease());
        }
        boolean lasts = lease.sure && latestMicros < lease.granted.endsMicros();
        if (ended.returned() != unspent && (lasts || ended.returned() != 0)) {
            return "%d given back of lease %s of %d, of which %d were spent (expected: %d)"
                    .formatted(ended.returned(), ended.lease(), lease.granted.granted(), ended.spent(), unspent);
        }
        return null;
    }
}
