package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.Windows;
import io.sluice.core.spi.Ask.Purpose;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.Verdict;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservedLimit;
import io.sluice.rules.reserve.SettledLimit;
import io.sluice.rules.side.SideDecisions;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Charges usage that is reported afterwards ({@code cost: {charge: always}}), even into debt. Thread-safe.
 *
 * <p>Usage is the settlement of a reservation of zero permits. A look at the limits comes first. It returns the time of the engine that
 * counts them, which a settlement needs.
 */
final class UsageCharges {

    /** The reason for usage that was not charged, because the store did not answer. */
    static final String UNKNOWN = "usage-unknown";

    /** The time in which a charge may be repeated if its answer is lost. */
    private static final Duration REPEATED_FOR = Duration.ofSeconds(10);

    private final EngineRouter router;
    private final String issuer;
    private final Settle settle;

    /** Settles a reservation. The stage returns the limits whose engines have answered, and never completes exceptionally. */
    @FunctionalInterface
    interface Settle {
        CompletionStage<List<SettledLimit>> apply(Reservation reservation, Map<ReservedLimit, Long> actual);
    }

    /** @param issuer the name of this process */
    UsageCharges(EngineRouter router, String issuer, Settle settle) {
        this.router = router;
        this.issuer = issuer;
        this.settle = settle;
    }

    /** Charges the usage that a request reports. The stage never completes exceptionally. */
    CompletionStage<List<UsedLimit>> charge(MatchedRequest matched) {
        return matched.usage().limits().isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : router.decide(matched.usage(), Purpose.LOOK, matched.set().version())
                        .thenCompose(looked -> charge(matched.usage(), looked));
    }

    private CompletionStage<List<UsedLimit>> charge(LimitGroup usage, SideDecisions looked) {
        Map<ReservedLimit, Long> actual = new LinkedHashMap<>();
        for (Decision decision : looked) {
            for (Demand demand : decision.degraded() == null ? decision.ask().demands() : List.<Demand>of()) {
                BoundLimit bound = usage.find(demand);
                if (bound != null) {
                    ReservedLimit nothing = new ReservedLimit(
                            demand.label(),
                            demand.limit(),
                            demand.key(),
                            0,
                            decision.outcome().atMicros(),
                            REPEATED_FOR,
                            null,
                            bound.side().name());
                    actual.put(nothing, Math.min(bound.permits(), Limit.MAX_PERMITS));
                }
            }
        }
        CompletionStage<List<SettledLimit>> settled = actual.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : settle.apply(new Reservation(Reservation.newName(), issuer, List.copyOf(actual.keySet())), actual);
        return settled.thenApply(limits -> used(usage, looked, limits));
    }

    private static List<UsedLimit> used(LimitGroup usage, SideDecisions looked, List<SettledLimit> settled) {
        List<UsedLimit> used = new ArrayList<>();
        for (BoundLimit bound : usage.limits()) {
            if (bound.demand() != null) {
                used.add(used(bound, looked, settled));
            }
        }
        return used;
    }

    private static UsedLimit used(BoundLimit bound, SideDecisions looked, List<SettledLimit> settled) {
        Optional<SettledLimit> charged = settled.stream()
                .filter(limit -> bound.asks(limit.limit().label(), limit.limit().key()))
                .filter(limit -> limit.result().kind() == SettlementResult.Kind.SETTLED
                        || limit.result().kind() == SettlementResult.Kind.REPEATED)
                .findFirst();
        for (Decision decision : looked) {
            List<Verdict> verdicts = decision.outcome().verdicts();
            for (int i = 0; i < verdicts.size(); i++) {
                Demand demand = decision.ask().demands().get(i);
                if (bound.asks(demand.label(), demand.key())) {
                    long less = charged.map(limit -> limit.result().charged()).orElse(0L);
                    String degraded = charged.isPresent() ? null : reason(decision);
                    return new UsedLimit(
                            bound,
                            bound.reported(
                                    Math.max(0, verdicts.get(i).remaining() - less),
                                    resetAfter(bound.numbers(), verdicts.get(i), less, decision)),
                            degraded);
                }
            }
        }
        String reason = looked.degraded();
        return new UsedLimit(bound, bound.reported(0, Optional.empty()), reason == null ? UNKNOWN : reason);
    }

    /** Returns the time until the limit is as if unused, after a charge that the verdict does not know yet. */
    private static Optional<Duration> resetAfter(Limit limit, Verdict verdict, long charged, Decision looked) {
        long reset = verdict.resetAfterMicros();
        if (reset == Verdict.NEVER) {
            return Optional.empty();
        }
        Rate rate = limit.rate();
        Windows windows = limit.windows();
        if (charged > 0 && rate != null) {
            if (rate.permits() == 0) {
                return Optional.empty();
            }
            double more = (double) charged * rate.perMicros() / rate.permits();
            reset += (long) Math.ceil(more);
        } else if (charged > 0 && windows != null) {
            long at = looked.outcome().atMicros();
            reset = windows.at(at).endMicros() - at;
        } else if (charged > 0) {
            reset = Math.max(reset, limit.windowMicros());
        }
        return Optional.of(Duration.of(reset, ChronoUnit.MICROS));
    }

    private static String reason(Decision decision) {
        String degraded = decision.degraded();
        return degraded == null ? UNKNOWN : degraded;
    }

    /**
     * Returns a ruling with the usage that was charged. It reports a charged limit if no other limit decided. It does not reveal limits in
     * shadow to callers.
     */
    static Ruling.Settled add(Ruling.Settled ruling, List<UsedLimit> charged) {
        List<UsedLimit> used =
                charged.stream().filter(limit -> !limit.bound().shadow()).toList();
        if (used.isEmpty()) {
            return ruling;
        }
        @Nullable UsedLimit least = null;
        String degraded = ruling.degraded();
        List<Ruling.Reported> costs = new ArrayList<>(ruling.costs());
        for (UsedLimit limit : used) {
            costs.add(limit.reported());
            degraded = degraded == null ? limit.degraded() : degraded;
            least = least == null
                            || limit.reported().remaining() < least.reported().remaining()
                    ? limit
                    : least;
        }
        return ruling.withUsage(least, costs, degraded);
    }
}
