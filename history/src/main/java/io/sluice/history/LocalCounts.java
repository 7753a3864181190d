package io.sluice.history;

import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import io.sluice.history.Violation.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks the counts that one run of a process kept in its own memory, by the definition of their limits. Nobody numbers these steps,
 * so the algorithm cannot be replayed.
 *
 * <p>The engine charges in the order of its own time, which never steps back, so the times of the charges say in which order they took
 * effect. Permits that were given back count as if they had never been charged. Held permits are checked in the order of recording: a
 * charge is recorded after its effect and a return before its effect, so whatever is held in that order was held at one time. No bound
 * reaches across a gap.
 */
final class LocalCounts {

    /** A permit that is about to expire may have expired for another thread. */
    private static final long EXPIRY_MARGIN_MICROS = 1_000_000;

    private final Findings findings;
    private final Map<String, List<StepEvent>> counts = new LinkedHashMap<>();
    private long checked;

    LocalCounts(Findings findings) {
        this.findings = findings;
    }

    void add(StepEvent step) {
        counts.computeIfAbsent(step.count(), unknown -> new ArrayList<>()).add(step);
    }

    /** Events are missing here. */
    void gap() {
        counts.forEach(this::check);
        counts.clear();
    }

    /** Returns how many steps were checked. Call it after all events. */
    long finish() {
        gap();
        return checked;
    }

    private void check(String count, List<StepEvent> steps) {
        checked += steps.size();
        Limit limit = CountCheck.limitOf(steps);
        if (limit instanceof Concurrency) {
            held(count, steps);
        } else if (limit != null) {
            admitted(count, limit, steps);
        }
    }

    /** @param permits 0 for a refusal */
    private record Charged(StepEvent step, Limit limit, long permits, long waitMicros, long atMicros) {}

    private void admitted(String count, Limit limit, List<StepEvent> steps) {
        Map<Long, Long> returned = new HashMap<>();
        for (StepEvent step : steps) {
            if (step.step() instanceof StepEvent.GivenBack back) {
                returned.merge(back.charge().chargedAtMicros(), back.charge().permits(), Long::sum);
            }
        }
        List<Charged> charges = new ArrayList<>();
        for (StepEvent step : steps) {
            if (step.step() instanceof StepEvent.Asked asked) {
                charges.add(charged(step, asked, returned));
            }
        }
        charges.sort(Comparator.comparingLong(Charged::atMicros));
        IntervalBound allowed = IntervalBound.of(limit);
        for (Charged each : charges) {
            if (each.permits == 0) {
                allowed.seen(each.limit, each.atMicros);
                continue;
            }
            allowed.at(each.atMicros);
            long now = each.atMicros - each.waitMicros;
            String wrong = allowed.admitted(
                    new IntervalBound.Admission(each.limit, each.permits, now, each.waitMicros, each.atMicros, ""));
            if (wrong != null) {
                findings.add(Kind.INTERVAL, count, 0, each.limit + ": " + wrong);
            }
        }
    }

    private static Charged charged(StepEvent step, StepEvent.Asked asked, Map<Long, Long> returned) {
        Verdict verdict = asked.verdict();
        long at = verdict.chargedAtMicros() == Verdict.FINAL
                ? step.atMicros()
                : Math.max(step.atMicros(), verdict.chargedAtMicros());
        long permits = verdict.granted();
        if (permits > 0) {
            long back = Math.min(permits, returned.getOrDefault(verdict.chargedAtMicros(), 0L));
            returned.computeIfPresent(verdict.chargedAtMicros(), (when, sum) -> sum - back);
            permits -= back;
        }
        return new Charged(step, asked.demand().limit(), permits, verdict.waitMicros(), at + verdict.waitMicros());
    }

    private record Held(long permits, long untilMicros) {}

    private void held(String count, List<StepEvent> steps) {
        Map<String, Held> holders = new HashMap<>();
        long latest = Long.MIN_VALUE;
        for (StepEvent step : steps) {
            latest = Math.max(latest, step.atMicros());
            long over = latest + EXPIRY_MARGIN_MICROS;
            holders.values().removeIf(each -> each.untilMicros <= over);
            if (step.step() instanceof StepEvent.GivenBack back) {
                holders.remove(back.charge().holder());
            } else if (step.step() instanceof StepEvent.Renewed renewed && renewed.held()) {
                Charge charge = renewed.charge();
                holders.computeIfPresent(
                        charge.holder(),
                        (holder, permit) -> new Held(
                                permit.permits, step.atMicros() + charge.limit().windowMicros()));
            } else if (step.step() instanceof StepEvent.Asked asked
                    && asked.verdict().granted() > 0) {
                Demand demand = asked.demand();
                long until = step.atMicros() + demand.limit().windowMicros();
                holders.put(demand.holder(), new Held(asked.verdict().granted(), until));
                long sum = holders.values().stream().mapToLong(Held::permits).sum();
                if (sum > demand.limit().capacity()) {
                    findings.add(
                            Kind.INTERVAL,
                            count,
                            0,
                            demand.limit()
                                    + ": %d held at once (expected: at most %d)"
                                            .formatted(sum, demand.limit().capacity()));
                    holders.clear();
                }
            }
        }
    }
}
