package io.sluice.history;

import io.sluice.core.history.StepEvent;
import io.sluice.history.Violation.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Nothing is given back of a count that was not charged there, and nothing twice. Permits that are held go by their holder. A replica
 * that has not heard of what was given back may be given it again.
 */
final class ReturnCheck {

    private final Map<Long, Long> charged = new HashMap<>();
    private final Map<String, StepEvent.Granted> leases = new HashMap<>();

    /** @param steps of one count, all that are known */
    static void check(String count, List<StepEvent> steps, FailoverForks forks, Findings findings) {
        ReturnCheck returns = new ReturnCheck();
        steps.forEach(step -> returns.charge(step.step()));
        for (StepEvent step : steps) {
            if (forks.before(step.atMicros()) > 0 || forks.isUnsure(step.atMicros())) {
                continue;
            }
            long over = returns.giveBack(step.step());
            if (over > 0) {
                findings.add(
                        Kind.RETURNED,
                        count,
                        step.number(),
                        "%d permits given back beyond those charged at that time (expected: 0)".formatted(over));
            }
        }
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
