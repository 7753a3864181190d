package io.sluice.rules;

import io.sluice.core.Concurrency;
import io.sluice.core.Decision;
import io.sluice.core.Limit;
import io.sluice.core.Limiter;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Ask.Purpose;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.time.Clock;
import io.sluice.rules.internal.CountKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What every front door calls: attributes in, one ruling out. Safe for use by many threads; never blocks.
 *
 * <p>A rule that denies comes first, then one that exempts. Otherwise all limits of all matching rules are one decision: all pass
 * and all are charged, or one refuses and none is charged.
 *
 * <p><b>Shadow and candidate limits</b> are decided after the others and never refuse: charged where the request passes, only
 * looked at where it is refused or looks itself. So their counts are those that they would have if they were in force. The
 * limits of one shadow rule, and the candidates of one rule, pass or refuse together. If the shared store fails them, they
 * say nothing.
 *
 * <p><b>Two engines in one request.</b> When rules of {@code mode: local} and of another mode match together, the in-process
 * limits are charged first and the shared ones after; if those refuse, the in-process charge is given back. So nothing is
 * ever over-admitted, but a request that will be refused may hold in-process permits for the length of one call to the
 * store. A request that the in-process limits refuse is not put to the store at all: reported is then the first refusing
 * in-process limit, and {@code retryAfter} speaks of those.
 */
public final class Evaluator {

    /** For so long the shared store is waited for when permits are renewed or released: nobody is refused meanwhile. */
    public static final Duration PERMITS_MAY_TAKE = Duration.ofSeconds(1);

    private static final CompletionStage<Shadows> NO_SHADOWS = CompletableFuture.completedStage(Shadows.NONE);

    private final Supplier<RuleSet> rules;
    private final Limiter local;
    private final @Nullable Limiter shared;
    private final Sides sides;
    private final CountKeys keys;
    private final Clock clock;
    private final RulingListener listener;

    /**
     * An evaluator.
     *
     * @param rules gives the set in force; asked once for each request
     * @param local decides {@code mode: local}, and everything if there is no shared limiter
     * @param shared decides the other modes; null if there is no shared store
     * @param keys how callers become keys
     */
    public Evaluator(
            Supplier<RuleSet> rules,
            Limiter local,
            @Nullable Limiter shared,
            KeyForm keys,
            Clock clock,
            RulingListener listener) {
        this.rules = rules;
        this.local = local;
        this.shared = shared;
        this.sides = new Sides(local, shared);
        this.keys = keys.keys();
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * Rules on a request.
     *
     * @param permits 1 to {@link Limit#MAX_PERMITS} to be charged, or 0 to look whether one permit would pass
     */
    public CompletionStage<Ruling> evaluate(Attributes request, long permits) {
        long start = clock.nanoTime();
        return ruling(applied(request, permits), start);
    }

    /**
     * Rules on a call by the rules that its caller names, whatever their scope: all pass and all are charged, or one refuses and none
     * is charged. Claims on the same count are one demand for the sum of their permits. Rules that are not enabled apply to
     * nothing; in all else it is as {@link #evaluate}.
     */
    public CompletionStage<Ruling> evaluateNamed(List<Claim> claims) {
        long start = clock.nanoTime();
        return ruling(Applied.of(rules.get(), claims, shared != null, keys, clock), start);
    }

    /**
     * The same, but waits for the moment to go on as {@link Limiter#acquire(List, Duration)} does, without a thread. An allowed ruling
     * says that the moment has come: there is nothing more to wait for.
     *
     * <p>Who cancels the future waits no longer, and what was charged is given back. Where two engines have a say the in-process one
     * is waited for first, and its charge stands while the store is waited for.
     *
     * @param maxWait 0 and more
     */
    public CompletableFuture<Ruling> acquireNamed(List<Claim> claims, Duration maxWait) {
        long start = clock.nanoTime();
        Applied applied = Applied.of(rules.get(), claims, shared != null, keys, clock);
        if (applied.verdictOf() != null
                || applied.impossible() != null
                || applied.live().lacking() != null) {
            return ruling(applied, start).toCompletableFuture();
        }
        RulingListener told = listener.begun();
        Acquisition live = sides.acquire(applied.live(), applied.set().version(), maxWait, clock);
        CompletableFuture<Ruling> result = new CompletableFuture<>();
        CompletionStage<Ruling> cancelled = result;
        cancelled.whenComplete((ruling, failure) -> {
            live.cancel();
            if (failure != null) {
                told.abandoned();
            }
        });
        live.decisions()
                .thenCompose(decisions -> settle(applied, decisions, Purpose.CHARGE))
                .whenComplete((ruling, failure) -> finish(result, told, ruling, failure, start));
        return result;
    }

    private void finish(
            CompletableFuture<Ruling> result,
            RulingListener told,
            Ruling.@Nullable Settled ruling,
            @Nullable Throwable failure,
            long start) {
        if (ruling == null) {
            result.completeExceptionally(failure == null ? new IllegalStateException("no ruling") : failure);
        } else if (result.isDone() || !result.complete(told(told, ruling.withoutWait(), start))) {
            giveBack(ruling);
        }
    }

    /** Gives back what an allowed ruling charged, as far as it still counts. At most once for a ruling. */
    public CompletionStage<?> giveBack(Ruling.Settled ruling) {
        CompletionStage<?> given = sides.giveBack(ruling.decisions());
        Permit permit = ruling.permit();
        return permit == null ? given : given.thenCombine(release(permit), (nothing, released) -> released);
    }

    private CompletionStage<Ruling> ruling(Applied applied, long start) {
        Rule rule = applied.verdictOf();
        if (rule != null) {
            return CompletableFuture.completedFuture(
                    told(listener.begun(), Reports.byRule(applied, rule, mode()), start));
        }
        Ruling.Impossible impossible = applied.impossible();
        if (impossible != null) {
            return CompletableFuture.completedFuture(impossible);
        }
        RulingListener told = listener.begun();
        Decision decision = sides.decideHere(applied);
        return decision != null
                ? CompletableFuture.completedFuture(
                        told(told, Reports.byLimits(applied, List.of(decision), Shadows.NONE, mode(), 0), start))
                : settle(applied).thenApply(ruling -> told(told, ruling, start));
    }

    /** Says what {@link #evaluate} would say and how each limit stands. Charges nothing, and nobody is told. */
    public CompletionStage<Explanation> explain(Attributes request, long permits) {
        Applied applied = applied(request, permits);
        return new Explainer(applied, keys, this::look).explain(mode());
    }

    /**
     * Gives back what a {@link Permit} stands for. The stage says whether any of it was still held, and completes exceptionally if
     * the shared store does not say within {@link #PERMITS_MAY_TAKE}.
     */
    public CompletionStage<Boolean> release(Permit permit) {
        return eachSide(permit, Limiter::release, Boolean::logicalOr, false);
    }

    /** Lets what a {@link Permit} stands for be held for its whole time to live from now; whether all of it was still held. */
    public CompletionStage<Boolean> renew(Permit permit) {
        return eachSide(permit, Limiter::renew, Boolean::logicalAnd, true);
    }

    @FunctionalInterface
    private interface OnPermits {
        CompletionStage<Boolean> apply(Limiter limiter, List<Charge> held, Duration atMost);
    }

    private CompletionStage<Boolean> eachSide(
            Permit permit, OnPermits action, BinaryOperator<Boolean> both, boolean nothing) {
        CompletionStage<Boolean> here = permit.here().isEmpty()
                ? CompletableFuture.completedFuture(nothing)
                : action.apply(local, permit.here(), PERMITS_MAY_TAKE);
        Limiter store = shared;
        if (permit.inStore().isEmpty()) {
            return here;
        }
        return store == null
                ? here.thenApply(done -> both.apply(done, false))
                : here.thenCombine(action.apply(store, permit.inStore(), PERMITS_MAY_TAKE), both);
    }

    /** The rules in force. */
    public RuleSet rules() {
        return rules.get();
    }

    /**
     * Rules on several requests as one decision: all pass and all are charged, or one refuses and none is charged. Parts that
     * only look are looked at first, and if one of them refuses, so does the whole. So are {@link Concurrency} limits: nobody would
     * have a {@link Permit} to give back.
     *
     * @param set the rules that the parts were made for, those {@link #rules()} gave
     * @param parts at least one
     */
    public CompletionStage<JointRuling> evaluateTogether(RuleSet set, List<Part> parts) {
        long start = clock.nanoTime();
        return evaluate(joint(set, parts), set.version(), start);
    }

    /**
     * Rules on one request by itself. If it is refused, the limits of rules {@linkplain Rule#envoy() for descriptors} count it all
     * the same: what they have left of it is charged, and one that refuses has nothing left. So does one in shadow that would refuse.
     * Other limits, and what a rule denied, are charged nothing. Nobody is told of these charges, and what others charge meanwhile
     * counts first.
     *
     * @param set the rules that the part was made for, those {@link #rules()} gave
     */
    public CompletionStage<JointRuling> evaluateCountingRefused(RuleSet set, Part part) {
        long start = clock.nanoTime();
        Joint joint = joint(set, List.of(part));
        Applied applied = joint.parts().get(0);
        return evaluate(joint, set.version(), start)
                .thenCompose(ruling -> part.permits() == 0
                                || applied.verdictOf() != null
                                || ruling.whole().degraded() != null
                        ? CompletableFuture.completedFuture(ruling)
                        : count(applied, ruling.parts().get(0)).handle((done, failure) -> ruling));
    }

    private Joint joint(RuleSet set, List<Part> parts) {
        List<Applied> applied = new ArrayList<>(parts.size());
        for (Part part : parts) {
            applied.add(Applied.of(set, part, shared != null, keys, clock));
        }
        return new Joint(applied);
    }

    private CompletionStage<JointRuling> evaluate(Joint joint, long version, long start) {
        RulingListener told = listener.begun();
        return settle(joint, version)
                .thenCompose(allowed -> shadows(joint, allowed).thenApply(all -> {
                    JointRuling ruling = all.ruling(allowed, mode(), clock.epochMicros());
                    told(told, ruling.whole(), start);
                    return ruling;
                }));
    }

    /** Whether all parts pass. */
    private CompletionStage<Boolean> settle(Joint joint, long version) {
        Group looked = joint.group(true);
        Group charged = joint.group(false);
        Purpose first = joint.isRefusedOutright() ? Purpose.LOOK : Purpose.CHARGE;
        if (looked.bound().isEmpty()) {
            return settle(joint, charged, first, version);
        }
        return settle(joint, looked, Purpose.LOOK, version)
                .thenCompose(allowed -> settle(joint, charged, allowed ? first : Purpose.LOOK, version)
                        .thenApply(also -> allowed && also));
    }

    private CompletionStage<Boolean> settle(Joint joint, Group group, Purpose purpose, long version) {
        return sides.decideHoldingNothing(group, purpose, version).thenApply(decisions -> {
            joint.heard(decisions);
            return Reports.allAllow(decisions) && !joint.isRefusedOutright();
        });
    }

    private CompletionStage<Joint> shadows(Joint joint, boolean allowed) {
        CompletionStage<Joint> all = CompletableFuture.completedFuture(joint);
        for (Applied part : joint.parts()) {
            for (Group group : part.shadows()) {
                boolean charges = allowed
                        && part.permits() > 0
                        && part.permits() <= Limit.MAX_PERMITS
                        && part.verdictOf() == null
                        && group.lacking() == null;
                Purpose purpose = charges ? Purpose.CHARGE : Purpose.LOOK;
                all = all.thenCompose(same -> sides.decideHoldingNothing(
                                group, purpose, part.set().version())
                        .thenApply(decisions -> {
                            same.heardShadow(group, decisions);
                            return same;
                        }));
            }
        }
        return all;
    }

    /** Charges what the decision did not, each limit by itself and as much of it as there is. */
    private CompletionStage<?> count(Applied applied, JointRuling.PartRuling ruling) {
        CompletionStage<?> done = CompletableFuture.completedFuture(null);
        List<Group> groups = new ArrayList<>(applied.shadows());
        groups.add(0, applied.live());
        int at = 0;
        for (Group group : groups) {
            int end = at + group.bound().size();
            boolean charged = ruling.allowed()
                    && ruling.limits().subList(at, end).stream().allMatch(JointRuling.Standing::fits);
            at = end;
            for (Bound bound : charged ? List.<Bound>of() : group.bound()) {
                done = done.thenCombine(count(bound, applied.permits(), group.deadline()), (a, b) -> b);
            }
        }
        return done;
    }

    private CompletionStage<?> count(Bound bound, long permits, Duration deadline) {
        Demand demand = bound.demand();
        long most =
                Math.min(Math.min(permits, Limit.MAX_PERMITS), bound.numbers().capacity());
        Limiter store = shared;
        if (demand == null || most < 1 || bound.isHeld() || bound.rule().envoy().isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        Ask ask = Ask.charging(List.of(demand.permits(most).orAtLeast(1)));
        return bound.inStore() && store != null
                ? store.decideAsync(ask.dueAt(store.dueIn(deadline)))
                : local.decideAsync(ask);
    }

    private Applied applied(Attributes request, long permits) {
        if (permits < 0 || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 0.." + Limit.MAX_PERMITS + ")");
        }
        return Applied.of(rules.get(), request, permits, shared != null, keys, clock);
    }

    private CompletionStage<Ruling.Settled> settle(Applied applied) {
        Bound lacking = applied.live().lacking();
        if (lacking != null) {
            return shadows(applied, Purpose.LOOK).thenApply(said -> Reports.lacking(applied, lacking, said));
        }
        Purpose purpose = applied.permits() == 0 ? Purpose.LOOK : Purpose.CHARGE;
        return sides.decide(applied.live(), purpose, applied.set().version())
                .thenCompose(decisions -> settle(applied, decisions, purpose));
    }

    private CompletionStage<Ruling.Settled> settle(Applied applied, List<Decision> decisions, Purpose purpose) {
        CompletionStage<Shadows> shadows = applied.shadows().isEmpty()
                ? NO_SHADOWS
                : shadows(applied, Reports.allAllow(decisions) ? purpose : Purpose.LOOK);
        return shadows.thenApply(said -> Reports.byLimits(applied, decisions, said, mode(), 0));
    }

    private CompletionStage<Shadows> shadows(Applied applied, Purpose purpose) {
        CompletionStage<Shadows> all = CompletableFuture.completedFuture(Shadows.NONE);
        for (Group group : applied.shadows()) {
            Purpose own = group.lacking() == null ? purpose : Purpose.LOOK;
            all = all.thenCombine(
                    sides.decide(group, own, applied.set().version()),
                    (shadows, decisions) -> shadows.and(group, decisions));
        }
        return all;
    }

    private CompletionStage<List<Decision>> look(Applied applied, Group group) {
        return sides.decide(group, Purpose.LOOK, applied.set().version());
    }

    private String mode() {
        return (shared == null ? Mode.LOCAL : Mode.DISTRIBUTED).word();
    }

    private Ruling.Settled told(RulingListener told, Ruling.Settled ruling, long startNanos) {
        told.ruled(ruling, clock.nanoTime() - startNanos);
        return ruling;
    }
}
