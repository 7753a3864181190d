package io.sluice.spring.method;

import io.sluice.core.time.Clock;
import io.sluice.core.time.Clock.Alarm;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.RuleCall;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.internal.LimitReports;
import io.sluice.spring.method.expression.Call;
import io.sluice.spring.method.plan.MethodPlan;
import io.sluice.spring.method.plan.PlannedLimit;
import io.sluice.spring.named.NamedRules;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether calls of limited methods may proceed. Thread-safe.
 *
 * <p>An admitted call gets {@link HeldPermits}, which it closes when it ends. A call that gives up while it waits returns the
 * permits that it was charged.
 */
public final class Admissions {

    private final Evaluator evaluator;
    private final Clock clock;
    private final PathForm paths;
    private final @Nullable String service;
    private final NamedRules named;

    public Admissions(Evaluator evaluator, Clock clock, PathForm paths, @Nullable String service, NamedRules named) {
        this.evaluator = evaluator;
        this.clock = clock;
        this.paths = paths;
        this.service = service;
        this.named = named;
    }

    /**
     * Admits a call and blocks the current thread while it waits. Throws {@link RateLimitExceededException} if the call is
     * refused.
     */
    HeldPermits admit(MethodPlan plan, Call call) throws InterruptedException {
        List<RuleCall> claims = claims(plan, call);
        if (claims.isEmpty()) {
            return HeldPermits.NOTHING;
        }
        Asking asking = new Asking(plan, call, claims);
        if (plan.maxWait() == null) {
            Ruling.Settled ruling = allowed(
                    evaluator.evaluateNamed(claims).toCompletableFuture().join());
            asking.reports().admitted(ruling);
            return ruling.waitFor().isZero() ? held(ruling, asking) : await(later(ruling, asking), Function.identity());
        }
        return await(evaluator.acquireNamed(claims, plan.maxWait()), ruling -> {
            Ruling.Settled settled = allowed(ruling);
            asking.reports().admitted(settled);
            return held(settled, asking);
        });
    }

    /**
     * Admits a call without blocking a thread. The future fails with {@link RateLimitExceededException} if the call is refused.
     * Cancelling it returns all permits that were charged.
     */
    CompletableFuture<HeldPermits> admitLater(MethodPlan plan, Call call) {
        List<RuleCall> claims = claims(plan, call);
        if (claims.isEmpty()) {
            return CompletableFuture.completedFuture(HeldPermits.NOTHING);
        }
        Asking asking = new Asking(plan, call, claims);
        CompletableFuture<HeldPermits> result = new CompletableFuture<>();
        if (plan.maxWait() == null) {
            // This future is never cancelled, because permits that it charges would be lost.
            evaluator.evaluateNamed(claims).whenComplete((ruling, failure) -> ruled(result, ruling, failure, asking));
        } else {
            CompletableFuture<Ruling> place = evaluator.acquireNamed(claims, plan.maxWait());
            CompletionStage<Ruling> came = place;
            came.whenComplete((ruling, failure) -> ruled(result, ruling, failure, asking));
            cancels(result, place);
        }
        return result;
    }

    /** The claims of one call. */
    private record Asking(MethodPlan plan, Call call, List<RuleCall> claims) {

        LimitReports reports() {
            return call.request() instanceof LimitReports reports ? reports : LimitReports.NONE;
        }
    }

    private void ruled(
            CompletableFuture<HeldPermits> result,
            @Nullable Ruling ruling,
            @Nullable Throwable failure,
            Asking asking) {
        if (ruling == null) {
            result.completeExceptionally(failure == null ? new IllegalStateException("no ruling") : failure);
        } else if (result.isDone()) {
            undo(ruling);
        } else {
            try {
                Ruling.Settled settled = allowed(ruling);
                asking.reports().admitted(settled);
                CompletableFuture<HeldPermits> place = later(settled, asking);
                cancels(result, place);
                CompletionStage<HeldPermits> came = place;
                came.whenComplete((held, left) -> {
                    if (held != null && !result.complete(held)) {
                        held.close();
                    }
                });
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        }
    }

    private static void cancels(CompletableFuture<?> result, CompletableFuture<?> underWay) {
        CompletionStage<?> over = result;
        over.whenComplete((done, left) -> {
            if (left != null) {
                underWay.cancel(false);
            }
        });
    }

    private HeldPermits held(Ruling.Settled ruling, Asking asking) {
        Reservation reservation = ruling.reservation();
        return HeldPermits.of(
                ruling,
                evaluator,
                clock,
                reservation == null
                        ? null
                        : new OpenReservation(evaluator, reservation, asking.claims(), asking.plan(), asking.call()));
    }

    private static Ruling.Settled allowed(Ruling ruling) {
        if (ruling instanceof Ruling.Settled settled) {
            if (settled.allowed()) {
                return settled;
            }
            throw new RateLimitExceededException(settled);
        }
        Ruling.Impossible impossible = (Ruling.Impossible) ruling;
        throw new IllegalArgumentException("permits: " + impossible.permits() + " (expected: at most "
                + impossible.capacity() + ", the capacity of limit " + impossible.limit() + ")");
    }

    /** Returns permits that are held from the call's time slot on. */
    private CompletableFuture<HeldPermits> later(Ruling.Settled ruling, Asking asking) {
        HeldPermits held = held(ruling, asking);
        if (ruling.waitFor().isZero()) {
            return CompletableFuture.completedFuture(held);
        }
        CompletableFuture<HeldPermits> place = new CompletableFuture<>();
        Alarm alarm = clock.at(clock.nanoTime() + ruling.waitFor().toNanos(), () -> place.complete(held));
        CompletionStage<HeldPermits> over = place;
        over.whenComplete((came, left) -> {
            if (left != null) {
                alarm.cancel();
                held.forget();
                evaluator.giveBack(ruling);
            }
        });
        return place;
    }

    private <A, B> B await(CompletableFuture<A> place, Function<A, B> as) throws InterruptedException {
        try {
            return as.apply(place.get());
        } catch (InterruptedException e) {
            if (!place.cancel(false)) {
                undo(place.join());
            }
            throw e;
        } catch (ExecutionException e) {
            throw new IllegalStateException("no decision", e.getCause());
        }
    }

    private void undo(@Nullable Object came) {
        if (came instanceof HeldPermits held) {
            held.close();
        } else if (came instanceof Ruling.Settled settled && settled.allowed()) {
            evaluator.giveBack(settled);
        }
    }

    private List<RuleCall> claims(MethodPlan plan, Call call) {
        RuleSet set = evaluator.rules();
        List<PlannedLimit> limits = plan.limits();
        if (limits.size() == 1) {
            RuleCall claim = claim(limits.get(0), set, call);
            return claim == null ? List.of() : List.of(claim);
        }
        List<RuleCall> claims = new ArrayList<>(limits.size());
        for (PlannedLimit limit : limits) {
            RuleCall claim = claim(limit, set, call);
            if (claim != null) {
                claims.add(claim);
            }
        }
        return claims;
    }

    private @Nullable RuleCall claim(PlannedLimit limit, RuleSet set, Call call) {
        PlannedLimit.Meaning meaning = limit.meaning(set);
        if (meaning.rule() == null) {
            named.miss(limit.parts().rule(), limit.parts().where());
            return null;
        }
        return limit.claim(meaning, call, service, paths);
    }
}
