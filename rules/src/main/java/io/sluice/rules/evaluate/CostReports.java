package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Verdict;
import io.sluice.rules.cost.Cost;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservedLimit;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Adds the reports about costs to rulings: the remaining permits of limits with a cost of their own, the permits that were kept for other
 * requests, and the reservations that can be settled later. Immutable.
 */
final class CostReports {

    /** Names this process in reservations of limits that it counts itself. */
    private final String issuer = Reservation.newName();

    String issuer() {
        return issuer;
    }

    /**
     * Returns the ruling with the reports.
     *
     * @param deciding the decision whose limit is reported; null if no limit is
     * @param looked whether to subtract the charge that a look would have made from the remaining permits
     */
    static Ruling.Settled add(
            Ruling.Settled ruling, MatchedRequest matched, @Nullable Decision deciding, boolean looked) {
        boolean kept = !ruling.allowed() && deciding != null && isKeptForOthers(matched.live(), deciding);
        List<Ruling.Reported> costs = hasCosts(matched.live()) ? costs(ruling, matched.live(), looked) : List.of();
        return kept || !costs.isEmpty() ? ruling.with(costs, kept, null) : ruling;
    }

    private static boolean isKeptForOthers(LimitGroup group, Decision deciding) {
        Demand demand = deciding.demand();
        BoundLimit bound = group.find(demand);
        EngineDecision outcome = deciding.outcome();
        for (int i = 0; i < outcome.verdicts().size() && bound != null && bound.keep() > 0; i++) {
            if (deciding.ask().demands().get(i).equals(demand)) {
                return outcome.verdicts().get(i).keptForOthers();
            }
        }
        return false;
    }

    private static boolean hasCosts(LimitGroup group) {
        for (BoundLimit bound : group.limits()) {
            if (bound.limit().cost().isPresent()) {
                return true;
            }
        }
        return false;
    }

    private static List<Ruling.Reported> costs(Ruling.Settled ruling, LimitGroup group, boolean looked) {
        List<Ruling.Reported> costs = new ArrayList<>();
        for (Decision decision : ruling.decisions()) {
            List<Verdict> verdicts = decision.outcome().verdicts();
            for (int i = 0; i < verdicts.size(); i++) {
                BoundLimit bound = group.find(decision.ask().demands().get(i));
                if (bound != null
                        && bound.limit().cost().isPresent()
                        && (ruling.allowed() || !isUnasked(bound, verdicts.get(i)))) {
                    // If another engine refuses, the permits that this engine has granted are given back.
                    long less = !ruling.allowed() ? -verdicts.get(i).granted() : looked ? bound.permits() : 0;
                    costs.add(reported(bound, verdicts.get(i), less));
                }
            }
        }
        return costs;
    }

    /** Returns whether the remaining permits of a limit are unknown, because another limit refused before it was asked. */
    private static boolean isUnasked(BoundLimit bound, Verdict verdict) {
        return verdict.isUnasked(bound.numbers().capacity());
    }

    /** Returns a limit with its verdict, less some of the remaining permits; more if negative. */
    static Ruling.Reported reported(BoundLimit bound, Verdict verdict, long less) {
        long reset = verdict.resetAfterMicros();
        return bound.reported(
                Math.min(bound.numbers().capacity(), Math.max(0, verdict.remaining() - less)),
                reset == Verdict.NEVER ? Optional.empty() : Optional.of(Duration.of(reset, ChronoUnit.MICROS)));
    }

    /** Returns an allowed ruling with its reservation. Decisions without the store have reserved nothing in the store. */
    Ruling.Settled reserve(Ruling.Settled ruling, MatchedRequest matched, ShadowDecisions shadows) {
        if (!ruling.allowed() || ruling.looked() || !canReserve(matched)) {
            return ruling;
        }
        List<ReservedLimit> limits = new ArrayList<>();
        ruling.decisions().forEach(decision -> add(decision, matched, limits));
        shadows.decisions().forEach(decision -> add(decision, matched, limits));
        return limits.isEmpty()
                ? ruling
                : ruling.with(
                        ruling.costs(), ruling.keptForOthers(), new Reservation(Reservation.newName(), issuer, limits));
    }

    /**
     * Returns the reservation that an allowed request may have in a store that did not answer in time, or null if there is none. It cannot
     * be settled: the store may have charged it, but the time of the charge is unknown.
     */
    @Nullable
    Reservation unknown(Ruling.Settled ruling, MatchedRequest matched) {
        if (ruling.degraded() == null || !ruling.allowed() || ruling.looked() || !settles(matched.live())) {
            return null;
        }
        List<ReservedLimit> limits = new ArrayList<>();
        for (BoundLimit bound : matched.live().limits()) {
            Demand demand = bound.demand();
            Optional<Cost.Settling> settling = settling(bound.limit());
            if (demand != null && bound.side().remote() && settling.isPresent()) {
                limits.add(new ReservedLimit(
                        demand.label(),
                        demand.limit(),
                        demand.key(),
                        demand.permits(),
                        0,
                        settling.get().within(),
                        settling.get().by(),
                        bound.side().name()));
            }
        }
        return limits.isEmpty() ? null : new Reservation(Reservation.newName(), issuer, limits);
    }

    private static boolean canReserve(MatchedRequest matched) {
        if (matched.reserves() || settles(matched.live())) {
            return true;
        }
        for (LimitGroup group : matched.shadows()) {
            if (settles(group)) {
                return true;
            }
        }
        return false;
    }

    private static boolean settles(LimitGroup group) {
        for (BoundLimit bound : group.limits()) {
            if (bound.limit().cost().isPresent() && settling(bound.limit()).isPresent()) {
                return true;
            }
        }
        return false;
    }

    private static Optional<Cost.Settling> settling(RuleLimit limit) {
        return limit.cost().flatMap(Cost::settling);
    }

    private static void add(Decision decision, MatchedRequest matched, List<ReservedLimit> limits) {
        if (!decision.allowed()
                || decision.degraded() != null
                || !decision.ask().charges()) {
            return;
        }
        List<Verdict> verdicts = decision.outcome().verdicts();
        for (int i = 0; i < verdicts.size(); i++) {
            Demand demand = decision.ask().demands().get(i);
            Verdict verdict = verdicts.get(i);
            BoundLimit bound = find(matched, demand);
            if (bound != null && verdict.chargedAtMicros() != Verdict.FINAL && isReserved(matched, bound)) {
                Optional<Cost.Settling> settling = settling(bound.limit());
                limits.add(new ReservedLimit(
                        demand.label(),
                        demand.limit(),
                        demand.key(),
                        verdict.granted(),
                        verdict.granted() == 0 ? decision.outcome().atMicros() : verdict.chargedAtMicros(),
                        settling.map(Cost.Settling::within).orElse(Cost.Settling.DEFAULT_WITHIN),
                        settling.map(Cost.Settling::by).orElse(null),
                        bound.side().name()));
            }
        }
    }

    private static boolean isReserved(MatchedRequest matched, BoundLimit bound) {
        return settling(bound.limit()).isPresent() || (matched.reserves() && Cost.canSettle(bound.numbers()));
    }

    private static @Nullable BoundLimit find(MatchedRequest matched, Demand demand) {
        BoundLimit live = matched.live().find(demand);
        if (live != null) {
            return live;
        }
        for (LimitGroup group : matched.shadows()) {
            BoundLimit shadow = group.find(demand);
            if (shadow != null) {
                return shadow;
            }
        }
        return null;
    }
}
