package io.sluice.history;

import io.sluice.core.algorithm.StepBack;
import io.sluice.core.history.StepEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Windows;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import io.sluice.history.Violation.Kind;
import io.sluice.history.internal.bound.IntervalBound;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks the steps of one count in order, since its numbering began. */
final class CountCheck {

    private final String count;
    private final Findings findings;
    private final LeaseLedger ledger;
    private final SettlementCheck settlements;
    private Limit limit;
    private long checked;
    private long missing;
    private long earlier;
    private long unchecked;

    /**
     * Creates a check.
     *
     * @param steady true if the store's time never stepped back far
     */
    CountCheck(String count, Limit limit, boolean steady, Findings findings) {
        this.count = count;
        this.limit = limit;
        this.ledger = new LeaseLedger(steady);
        this.settlements = new SettlementCheck(steady);
        this.findings = findings;
    }

    /** Notes that leases which these steps do not show may be outstanding. */
    void leasesMayBeOut(long sinceMicros, long longestLeaseMicros) {
        ledger.forget(sinceMicros, longestLeaseMicros);
    }

    /** Returns the limit of the first step that has a limit, or null if there is no such step. */
    static @Nullable Limit limitOf(List<StepEvent> steps) {
        for (StepEvent step : steps) {
            Limit named = limitOf(step.step());
            if (named != null) {
                return named;
            }
        }
        return null;
    }

    /**
     * Checks the steps of one numbering.
     *
     * @param steps sorted by number; after each fork the numbers may start lower again
     */
    void check(List<StepEvent> steps, FailoverForks forks) {
        long last = 0;
        int forked = 0;
        ModelReplay replay = new ModelReplay(limit);
        IntervalBound allowed = IntervalBound.of(limit);
        for (StepEvent step : steps) {
            Limit named = limitOf(step.step());
            limit = named == null ? limit : named;
            if (forks.isUnsure(step.atMicros()) || isOfNoNumbering(step)) {
                replay.heardOf(limit);
                unchecked++;
                continue;
            }
            int before = forks.before(step.atMicros());
            long expected = step.changed() ? last + 1 : last;
            boolean first = last == 0 && step.number() == expected;
            if (!first && (before != forked || step.number() != expected)) {
                missing += before == forked ? step.number() - expected : 0;
                earlier = last == 0 && checked == 0 ? missing : earlier;
                forget(replay, allowed, step.atMicros());
            }
            if (before != forked) {
                settlements.forget();
            }
            forked = before;
            replay.begin(limit, step.atMicros());
            allowed.at(step.atMicros());
            ledger.at(step.atMicros());
            settlements.at(step.atMicros());
            String wrong = check(step, replay, allowed);
            if (wrong != null) {
                findings.add(Kind.MODEL, count, step.number(), limit + ": " + wrong);
                forget(replay, allowed, step.atMicros());
            }
            last = step.number();
            checked++;
        }
    }

    /** Returns true if the step changed nothing on a count that other processes change without recording. */
    private static boolean isOfNoNumbering(StepEvent step) {
        return step.since() == 0 && step.number() > 0 && !step.changed();
    }

    long checked() {
        return checked;
    }

    long missing() {
        return missing;
    }

    /** Returns the number of missing steps before the first known step. */
    long earlier() {
        return earlier;
    }

    long unchecked() {
        return unchecked;
    }

    private void forget(ModelReplay replay, IntervalBound allowed, long atMicros) {
        replay.forget(limit, atMicros);
        allowed.reset();
        ledger.forget(atMicros);
    }

    private @Nullable String check(StepEvent step, ModelReplay replay, IntervalBound allowed) {
        long now = step.atMicros();
        if (step.step() instanceof StepEvent.Asked asked) {
            Verdict told = asked.verdict();
            Demand demand = asked.demand();
            boolean passed = asked.charging() && told.fits() && !demand.isCharged();
            if (told.granted() > 0 || passed) {
                timely(step, told.chargedAtMicros());
                within(
                        step,
                        allowed.admitted(new IntervalBound.Admission(
                                limit,
                                told.granted(),
                                demand.keep(),
                                now,
                                told.waitMicros(),
                                told.chargedAtMicros(),
                                demand.holder())));
            } else {
                allowed.seen(limit, now);
            }
            return replay.asked(demand, asked.charging(), told, now);
        } else if (step.step() instanceof StepEvent.GivenBack back) {
            allowed.givenBack(back.charge(), now);
            replay.givenBack(back.charge(), now);
            return null;
        } else if (step.step() instanceof StepEvent.Renewed renewed) {
            if (renewed.held() && renewed.charge().isHeld()) {
                allowed.renewed(renewed.charge(), now);
            } else {
                allowed.seen(limit, now);
            }
            return replay.renewed(renewed.charge(), renewed.held(), now);
        } else if (step.step() instanceof StepEvent.Granted granted) {
            return granted(step, granted, replay, allowed);
        } else if (step.step() instanceof StepEvent.Settled settled) {
            return settled(step, settled, replay, allowed);
        }
        ended(step, (StepEvent.Ended) step.step(), replay, allowed);
        return null;
    }

    private @Nullable String settled(
            StepEvent step, StepEvent.Settled settled, ModelReplay replay, IntervalBound allowed) {
        long now = step.atMicros();
        if (step.since() == 0) {
            // The store may have lost its data between this and another step without a numbering.
            settlements.forget();
        }
        String wrong = settlements.check(settled);
        String late = settlements.late(settled, now);
        if (wrong != null || late != null) {
            findings.add(Kind.SETTLED, count, step.number(), limit + ": " + (wrong == null ? late : wrong));
        }
        allowed.settled(settled.settlement(), settled.change(), now);
        return replay.settled(settled.settlement(), settled.change(), now);
    }

    private @Nullable String granted(
            StepEvent step, StepEvent.Granted lease, ModelReplay replay, IntervalBound allowed) {
        long now = step.atMicros();
        long room = lease.cap() - ledger.outstanding();
        if (lease.granted() == 0) {
            allowed.seen(lease.limit(), now);
            long most = Math.min(lease.wanted(), room);
            boolean byLimit = most >= lease.atLeast() && ledger.isExact(now);
            Demand demand = demand(lease, Math.max(1, most), Math.max(1, Math.min(most, lease.atLeast())));
            return replay.refused(demand, byLimit, step.changed(), now);
        }
        if (lease.granted() > room) {
            findings.add(
                    Kind.LEASE_CAP,
                    count,
                    step.number(),
                    "a lease of %d with %d outstanding (expected: at most %d together)"
                            .formatted(lease.granted(), lease.cap() - room, lease.cap()));
        }
        if (lease.granted() > lease.wanted() || lease.granted() < Math.min(lease.atLeast(), lease.wanted())) {
            findings.add(
                    Kind.LEASE_CAP,
                    count,
                    step.number(),
                    "a lease of %d (expected: %d..%d)".formatted(lease.granted(), lease.atLeast(), lease.wanted()));
        }
        timely(step, lease.chargedAtMicros());
        ends(step, lease);
        within(step, allowed.admitted(leased(lease, now)));
        ledger.add(lease, now);
        return replay.granted(demand(lease, lease.granted(), lease.granted()), lease, now);
    }

    /** Describes a lease as one admission: to the store, its slots are one block. */
    private static IntervalBound.Admission leased(StepEvent.Granted lease, long now) {
        return new IntervalBound.Admission(
                lease.limit(), lease.granted(), 0, now, lease.waitMicros(), lease.chargedAtMicros(), "");
    }

    private void ends(StepEvent step, StepEvent.Granted lease) {
        Windows windows = lease.limit().windows();
        if (windows != null) {
            long end = windows.at(lease.chargedAtMicros()).endMicros();
            if (lease.endsMicros() > end) {
                findings.add(
                        Kind.LEASE_EXPIRED,
                        count,
                        step.number(),
                        "a lease until %d (expected: not after its window, %d)".formatted(lease.endsMicros(), end));
            }
        }
    }

    private void ended(StepEvent step, StepEvent.Ended ended, ModelReplay replay, IntervalBound allowed) {
        String wrong = ledger.end(ended);
        if (wrong != null) {
            findings.add(Kind.LEASE_ENDED, count, step.number(), wrong);
        }
        if (ended.returned() < 1) {
            return;
        }
        StepEvent.Granted lease = ledger.find(ended.lease());
        if (lease == null) {
            allowed.reset();
            replay.givenBackSome(limit, step.atMicros());
        } else {
            Charge charge = new Charge(lease.limit(), lease.key(), ended.returned(), lease.chargedAtMicros(), "");
            allowed.givenBack(charge, step.atMicros());
            replay.givenBack(charge, step.atMicros());
        }
    }

    private static Demand demand(StepEvent.Granted lease, long permits, long atLeast) {
        return ModelReplay.demand(lease.limit(), lease.key(), permits, atLeast, lease.maxWaitMicros(), "");
    }

    /**
     * Checks the time of a charge. If the store's clock stepped back by up to a second, the store counts by the time before;
     * otherwise it counts by its own clock.
     */
    private void timely(StepEvent step, long chargedAtMicros) {
        long ahead = chargedAtMicros - step.atMicros();
        if (ahead < 0 || ahead > StepBack.CLAMPED_MICROS) {
            findings.add(
                    Kind.TIME,
                    count,
                    step.number(),
                    "charged at %d, which is %d us ahead of the store's time (expected: 0..%d)"
                            .formatted(chargedAtMicros, ahead, StepBack.CLAMPED_MICROS));
        }
    }

    private void within(StepEvent step, @Nullable String wrong) {
        if (wrong != null) {
            findings.add(Kind.INTERVAL, count, step.number(), limit + ": " + wrong);
        }
    }

    private static @Nullable Limit limitOf(StepEvent.Step step) {
        if (step instanceof StepEvent.Asked asked) {
            return asked.demand().limit();
        } else if (step instanceof StepEvent.GivenBack back) {
            return back.charge().limit();
        } else if (step instanceof StepEvent.Renewed renewed) {
            return renewed.charge().limit();
        } else if (step instanceof StepEvent.Granted granted) {
            return granted.limit();
        } else if (step instanceof StepEvent.Settled settled) {
            return settled.settlement().limit();
        }
        return null;
    }
}
