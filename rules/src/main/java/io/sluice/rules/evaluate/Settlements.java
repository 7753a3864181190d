package io.sluice.rules.evaluate;

import io.sluice.core.spi.CallbackFailures;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.SettlementResult.Kind;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservedLimit;
import io.sluice.rules.reserve.SettledLimit;
import io.sluice.rules.side.Side;
import io.sluice.rules.side.SideDecisions;
import io.sluice.rules.side.Sides;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/** Settles reservations at the sides that counted them, and notifies a listener of the results. Thread-safe. */
final class Settlements {

    /** The reason why a reservation stays charged: the store did not answer the settlement. */
    private static final String FAILED = "failed";

    /** The reason why usage may be missing: the store did not answer the charge. */
    private static final String USAGE = "usage";

    private final String issuer;
    private final Sides sides;
    private final RulingListener listener;
    private final CallbackFailures failures;
    private final Map<Settling, CompletableFuture<?>> underWay = new ConcurrentHashMap<>();

    /**
     * @param issuer the name of this process in reservations of limits that it counts itself
     * @param failures the collector of exceptions of the listener
     */
    Settlements(String issuer, Sides sides, RulingListener listener, CallbackFailures failures) {
        this.issuer = issuer;
        this.sides = sides;
        this.listener = listener;
        this.failures = failures;
    }

    /** Settles a reservation, see {@link Evaluator#settle}. */
    CompletionStage<List<SettledLimit>> settle(Reservation reservation, Map<String, Long> actual, Duration atMost) {
        Settling each = new Settling(reservation, Settling.named(actual, reservation), issuer, sides);
        return settle(each, side -> atMost, listener::settled, FAILED);
    }

    /** Returns an object that charges usage through a router. */
    UsageCharges usage(EngineRouter engines) {
        return new UsageCharges(engines, issuer, (reservation, actual) -> {
            Settling each = new Settling(reservation, actual, issuer, sides);
            return settle(each, Side::deadline, listener::used, USAGE).handle((settled, failure) -> each.settled());
        });
    }

    /**
     * Settles the reservation of decisions whose charges were given back. Only limits in shadow are left in it: they are settled with a
     * cost of zero.
     *
     * @param given the decisions whose charges were given back
     * @param told whether the listener was notified of the reservation
     */
    CompletionStage<?> givenBack(Reservation reservation, SideDecisions given, boolean told) {
        Consumer<SettledLimit> then = told ? listener::settled : settled -> {};
        Map<ReservedLimit, Long> rest = new LinkedHashMap<>();
        for (ReservedLimit limit : reservation.limits()) {
            if (isOf(limit, given)) {
                tell(new SettledLimit(limit, 0, new SettlementResult(Kind.SETTLED, -limit.reserved())), then);
            } else {
                rest.put(limit, 0L);
            }
        }
        return rest.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : settle(new Settling(reservation, rest, issuer, sides), Side::deadline, then, FAILED)
                        .handle((settled, failure) -> failure == null);
    }

    private static boolean isOf(ReservedLimit limit, SideDecisions decisions) {
        return decisions.all().stream()
                .flatMap(decision -> decision.ask().demands().stream())
                .anyMatch(demand ->
                        demand.label().equals(limit.label()) && demand.key().equals(limit.key()));
    }

    private CompletionStage<List<SettledLimit>> settle(
            Settling each, Function<Side, Duration> atMost, Consumer<SettledLimit> then, String otherwise) {
        CompletableFuture<List<SettledLimit>> settling = each.settle(atMost)
                .whenComplete((settled, failure) -> {
                    each.settled().forEach(limit -> tell(limit, then));
                    each.failed().ifPresent(rest -> unsettled(rest, otherwise));
                })
                .toCompletableFuture();
        if (!settling.isDone()) {
            underWay.put(each, settling);
            CompletionStage<List<SettledLimit>> done = settling;
            done.whenComplete((settled, failure) -> underWay.remove(each));
        }
        return settling;
    }

    /** Returns the future of {@link Evaluator#settlementsUnderWay}. */
    CompletableFuture<Void> underWay() {
        return CompletableFuture.allOf(underWay.values().stream()
                .map(settling -> settling.handle((settled, failure) -> failure == null))
                .toArray(CompletableFuture<?>[]::new));
    }

    /**
     * Notes that a reservation will not be settled, so that it stays charged.
     *
     * @param reason a short word for metrics
     */
    void unsettled(Reservation reservation, String reason) {
        try {
            listener.unsettled(reservation, reason);
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    private void tell(SettledLimit settled, Consumer<SettledLimit> then) {
        try {
            then.accept(settled);
        } catch (Throwable e) {
            failures.add(e);
        }
    }
}
