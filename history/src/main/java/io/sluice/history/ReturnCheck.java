package io.sluice.history;

import io.sluice.core.history.StepEvent;
import io.sluice.core.spi.Settlement;
import io.sluice.history.Violation.Kind;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks that only charged permits are returned to a count, and each of them once. Concurrency permits are identified by their holder and
 * not checked here. After a failover, a replica that has not received a refund may receive it again.
 *
 * <p>Also checks that only existing reservations are settled. Any process may settle a reservation, so this is checked only if all steps of
 * the count are known. A reservation may also have been made on a lease, so it is not checked if there were leases.
 */
final class ReturnCheck {

    private final Map<Long, Long> charged = new HashMap<>();
    private final Map<String, StepEvent.Granted> leases = new HashMap<>();
    private final Set<String> settled = new HashSet<>();

    /**
     * Checks one count.
     *
     * @param steps all known steps of the count
     */
    static void check(String count, List<StepEvent> steps, FailoverForks forks, Findings findings) {
        ReturnCheck returns = new ReturnCheck();
        steps.forEach(step -> returns.charge(step.step()));
        boolean reservations = returns.leases.isEmpty() && isComplete(steps);
        for (StepEvent step : steps) {
            if (forks.before(step.atMicros()) > 0 || forks.isUnsure(step.atMicros())) {
                continue;
            }
            if (reservations && step.step() instanceof StepEvent.Settled settled) {
                returns.settle(count, step.number(), settled.settlement(), findings);
            }
            long over = returns.giveBack(step.step());
            if (over > 0) {
                findings.add(
                        Kind.RETURNED,
                        count,
                        step.number(),
                        "%d more permits returned than were charged at that time (expected: 0)".formatted(over));
            }
        }
    }

    /**
     * Checks the settlements on one count of a process.
     *
     * @param steps all steps of the count, in any order
     */
    static void checkReservations(String count, List<StepEvent> steps, Findings findings) {
        ReturnCheck returns = new ReturnCheck();
        steps.forEach(step -> returns.charge(step.step()));
        for (StepEvent step : steps) {
            if (step.step() instanceof StepEvent.Settled settled) {
                returns.settle(count, 0, settled.settlement(), findings);
            } else {
                long unused = returns.giveBack(step.step());
            }
        }
    }

    private void settle(String count, long number, Settlement settlement, Findings findings) {
        // A store that has lost its data may settle a reservation again.
        boolean again = !settled.add(settlement.id());
        long unmade = again ? 0 : take(settlement.chargedAtMicros(), settlement.reserved());
        if (unmade > 0) {
            findings.add(
                    Kind.SETTLED,
                    count,
                    number,
                    "reservation %s of %d settled, of which %d were not charged at that time (expected: 0)"
                            .formatted(settlement.id(), settlement.reserved(), unmade));
        }
    }

    /** Returns true if no step that changed the count is missing after its first step. */
    private static boolean isComplete(List<StepEvent> steps) {
        long since = Long.MIN_VALUE;
        long last = 0;
        for (StepEvent step : steps) {
            last = step.since() == since ? last : 0;
            since = step.since();
            long next = step.changed() ? last + 1 : last;
            if (step.number() != next) {
                return false;
            }
            last = next;
        }
        return true;
    }

    private void charge(StepEvent.Step step) {
        if (step instanceof StepEvent.Asked asked && asked.verdict().granted() > 0) {
            charged.merge(asked.verdict().chargedAtMicros(), asked.verdict().granted(), Long::sum);
        } else if (step instanceof StepEvent.Granted lease && lease.granted() > 0) {
            charged.merge(lease.chargedAtMicros(), lease.granted(), Long::sum);
            leases.put(lease.lease(), lease);
        }
    }

    private long giveBack(StepEvent.Step step) {
        if (step instanceof StepEvent.GivenBack back && !back.charge().isHeld()) {
            return take(back.charge().chargedAtMicros(), back.charge().permits());
        } else if (step instanceof StepEvent.Ended ended && ended.returned() > 0) {
            StepEvent.Granted lease = leases.get(ended.lease());
            return lease == null ? 0 : take(lease.chargedAtMicros(), ended.returned());
        }
        return 0;
    }

    private long take(long chargedAtMicros, long permits) {
        long left = charged.getOrDefault(chargedAtMicros, 0L);
        charged.put(chargedAtMicros, Math.max(0, left - permits));
        return permits - left;
    }
}
