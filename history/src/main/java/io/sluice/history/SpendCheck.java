package io.sluice.history;

import io.sluice.core.history.SpendEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.history.UnspendEvent;
import io.sluice.history.Violation.Kind;
import java.util.HashMap;
import java.util.Map;

/** Checks the use of leases by one node. */
final class SpendCheck {

    private final Findings findings;
    private final Map<String, Lease> leases = new HashMap<>();

    private static final class Lease {
        private final String count;
        private long granted;
        private long spent;
        private long unspent;
        private long leastTold = Long.MAX_VALUE;
        private long mostTold;

        Lease(String count) {
            this.count = count;
        }
    }

    SpendCheck(Findings findings) {
        this.findings = findings;
    }

    void granted(String count, StepEvent.Granted granted) {
        lease(granted.lease(), count).granted += granted.granted();
    }

    void ended(String count, StepEvent.Ended ended) {
        Lease lease = lease(ended.lease(), count);
        lease.leastTold = Math.min(lease.leastTold, ended.spent());
        lease.mostTold = Math.max(lease.mostTold, ended.spent());
    }

    void spent(SpendEvent spent) {
        if (spent.ownNanos() - spent.endsNanos() >= 0) {
            findings.add(
                    Kind.LEASE_EXPIRED,
                    spent.count(),
                    0,
                    "lease %s spent at %d (expected: before %d)"
                            .formatted(spent.lease(), spent.ownNanos(), spent.endsNanos()));
        }
        lease(spent.lease(), spent.count()).spent += spent.permits();
    }

    void unspent(UnspendEvent unspent) {
        if (unspent.lease().isEmpty()) {
            return;
        }
        lease(unspent.lease(), unspent.count()).unspent += unspent.permits();
    }

    /** Finishes the check. Call it after all events, and only for a node whose history is complete. */
    void finish() {
        leases.forEach((id, lease) -> {
            overspent(id, lease);
            if (lease.leastTold == Long.MAX_VALUE) {
                return;
            }
            // Permits that are put back after the end was reported are lost, which does no harm.
            long net = lease.spent - lease.unspent;
            if (lease.leastTold < net || lease.mostTold > lease.spent) {
                findings.add(
                        Kind.LEASE_ENDED,
                        lease.count,
                        0,
                        "lease %s ended with %d spent (expected: %d..%d as recorded)"
                                .formatted(
                                        id,
                                        lease.leastTold < net ? lease.leastTold : lease.mostTold,
                                        net,
                                        lease.spent));
            }
        });
    }

    /**
     * Checks whether more permits were spent than granted. Runs at the end, because a thread that puts back a permit may record
     * that after the thread that then took the permit.
     */
    private void overspent(String id, Lease lease) {
        long net = lease.spent - lease.unspent;
        if (net > lease.granted) {
            findings.add(
                    Kind.LEASE_OVERSPENT,
                    lease.count,
                    0,
                    "%d spent of lease %s (expected: at most %d)".formatted(net, id, lease.granted));
        }
    }

    private Lease lease(String id, String count) {
        return leases.computeIfAbsent(id, unknown -> new Lease(count));
    }
}
