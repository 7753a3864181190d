package io.sluice.history;

import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;
import io.sluice.history.Violation.Kind;
import io.sluice.history.internal.bound.IntervalBound;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks the counts that one run of a process kept in its own memory, by the definition of their limits. These steps have no numbers, so
 * the algorithm cannot be replayed.
 *
 * <p>The engine charges in the order of its own time, which never steps back, so the times of the charges give the order in which they took
 * effect. Permits that were given back, also by a settlement, count as if they had never been charged. A settlement that charges has the
 * engine's time of its effect, so all later charges pass beside this debt. Held permits are checked in the order of recording: a charge is
 * recorded after its effect and a return before its effect, so permits that are held together in that order were held at one time. No bound
 * reaches across a gap.
 */
final class LocalCounts {

    /** The margin for a permit that is about to expire, because it may already have expired for another thread. */
    private static final long EXPIRY_MARGIN_MICROS = 1_000_000;

    private final Findings findings;
    private final boolean whole;
    private final Map<String, List<StepEvent>> counts = new LinkedHashMap<>();

    /** Ids of settlements stay known across gaps. */
    private final Map<String, SettlementCheck> settlements = new HashMap<>();

    private boolean gaps;
    private long checked;

    /**
     * Creates a check.
     *
     * @param whole true if no event of the run is missing
     */
    LocalCounts(Findings findings, boolean whole) {
        this.findings = findings;
        this.whole = whole;
    }

    void add(StepEvent step) {
        counts.computeIfAbsent(step.count(), unknown -> new ArrayList<>()).add(step);
    }

    /** Notes that events are missing here. */
    void gap() {
        finishCounts();
        gaps = true;
    }

    private void finishCounts() {
        counts.forEach(this::check);
        counts.clear();
    }

    /** Finishes the check and returns the number of checked steps. Call it after all events. */
    long finish() {
        finishCounts();
        return checked;
    }

    private void check(String count, List<StepEvent> steps) {
        checked += steps.size();
        Limit limit = CountCheck.limitOf(steps);
        if (limit != null && limit.kind().holds()) {
            held(count, steps);
        } else if (limit != null) {
            settled(count, steps);
            admitted(count, limit, steps);
        }
    }

    private void settled(String count, List<StepEvent> steps) {
        for (StepEvent step : steps) {
            if (step.step() instanceof StepEvent.Settled settled) {
                SettlementCheck check = settlements.computeIfAbsent(count, unknown -> new SettlementCheck(true));
                check.at(step.atMicros());
                String wrong = check.check(settled);
                if (wrong != null) {
                    findings.add(Kind.SETTLED, count, 0, settled.settlement().limit() + ": " + wrong);
                }
            }
        }
        if (whole) {
            ReturnCheck.checkReservations(count, steps, findings);
        }
    }

    /**
     * A charge, a refusal or a debt.
     *
     * @param demand null for a debt by a settlement
     * @param permits the charged permits; 0 for a refusal or a demand for no permits
     */
    private record Charged(
            StepEvent step, Limit limit, @Nullable Demand demand, long permits, long waitMicros, long atMicros) {

        boolean isRefusal() {
            return permits == 0 && demand != null && (demand.isCharged() || !isAllowed());
        }

        private boolean isAllowed() {
            return step.step() instanceof StepEvent.Asked asked
                    && asked.verdict().fits();
        }
    }

    private void admitted(String count, Limit limit, List<StepEvent> steps) {
        Map<Long, Long> returned = new HashMap<>();
        for (StepEvent step : steps) {
            if (step.step() instanceof StepEvent.GivenBack back) {
                returned.merge(back.charge().chargedAtMicros(), back.charge().permits(), Long::sum);
            } else if (step.step() instanceof StepEvent.Settled settled
                    && settled.settlement().more() < 0) {
                // Parts of permits that were given back also count.
                Settlement settlement = settled.settlement();
                returned.merge(settlement.chargedAtMicros(), -settlement.more(), Long::sum);
            }
        }
        List<Charged> charges = new ArrayList<>();
        for (StepEvent step : steps) {
            if (step.step() instanceof StepEvent.Asked asked) {
                charges.add(charged(step, asked, returned));
            } else if (step.step() instanceof StepEvent.Settled settled && settled.change() > 0) {
                Limit charged = settled.settlement().limit();
                charges.add(new Charged(step, charged, null, settled.change(), 0, step.atMicros()));
            }
        }
        // A charge with the same time as a debt may have passed before the debt was charged.
        charges.sort(Comparator.comparingLong(Charged::atMicros).thenComparing(each -> each.demand == null));
        IntervalBound allowed = IntervalBound.of(limit);
        if (gaps) {
            allowed.reset();
        }
        for (Charged each : charges) {
            Demand demand = each.demand;
            if (each.isRefusal()) {
                allowed.seen(each.limit, each.atMicros);
                continue;
            }
            allowed.at(each.atMicros);
            if (demand == null) {
                allowed.settled(((StepEvent.Settled) each.step.step()).settlement(), each.permits, each.atMicros);
                continue;
            }
            long now = each.atMicros - each.waitMicros;
            String wrong = allowed.admitted(new IntervalBound.Admission(
                    each.limit, each.permits, demand.keep(), now, each.waitMicros, each.atMicros, ""));
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
        Demand demand = asked.demand();
        return new Charged(step, demand.limit(), demand, permits, verdict.waitMicros(), at + verdict.waitMicros());
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
                long most = demand.limit().capacity() - demand.keep();
                if (sum > most) {
                    findings.add(
                            Kind.INTERVAL,
                            count,
                            0,
                            demand.limit() + ": %d held at once (expected: at most %d)".formatted(sum, most));
                    holders.clear();
                }
            }
        }
    }
}
