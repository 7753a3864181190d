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
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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

    private final Supplier<RuleSet> rules;
    private final Limiter local;
    private final @Nullable Limiter shared;
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
        Applied applied = applied(request, permits);
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
        return settle(applied).thenApply(ruling -> told(told, ruling, start));
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
        Instant now = now();
        List<Applied> applied = new ArrayList<>(parts.size());
        for (Part part : parts) {
            applied.add(Applied.of(set, part, shared != null, keys, now));
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
        return decideHoldingNothing(group, purpose, version).thenApply(decisions -> {
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
                all = all.thenCompose(
                        same -> decideHoldingNothing(group, purpose, part.set().version())
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

    private Instant now() {
        return Instant.EPOCH.plus(clock.epochMicros(), ChronoUnit.MICROS);
    }

    private Applied applied(Attributes request, long permits) {
        if (permits < 0 || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 0.." + Limit.MAX_PERMITS + ")");
        }
        return Applied.of(rules.get(), request, permits, shared != null, keys, now());
    }

    private CompletionStage<Ruling.Settled> settle(Applied applied) {
        Bound lacking = applied.live().lacking();
        if (lacking != null) {
            return shadows(applied, Purpose.LOOK).thenApply(said -> Reports.lacking(applied, lacking, said));
        }
        Purpose purpose = applied.permits() == 0 ? Purpose.LOOK : Purpose.CHARGE;
        CompletionStage<List<Decision>> live =
                decide(applied.live(), purpose, applied.set().version());
        return applied.shadows().isEmpty()
                ? live.thenApply(decisions -> Reports.byLimits(applied, decisions, Shadows.NONE, mode(), 0))
                : live.thenCompose(decisions -> shadows(applied, Reports.allAllow(decisions) ? purpose : Purpose.LOOK)
                        .thenApply(said -> Reports.byLimits(applied, decisions, said, mode(), 0)));
    }

    private CompletionStage<Shadows> shadows(Applied applied, Purpose purpose) {
        CompletionStage<Shadows> all = CompletableFuture.completedFuture(Shadows.NONE);
        for (Group group : applied.shadows()) {
            Purpose own = group.lacking() == null ? purpose : Purpose.LOOK;
            all = all.thenCombine(
                    decide(group, own, applied.set().version()), (shadows, decisions) -> shadows.and(group, decisions));
        }
        return all;
    }

    private CompletionStage<List<Decision>> look(Applied applied, Group group) {
        return decide(group, Purpose.LOOK, applied.set().version());
    }

    private CompletionStage<List<Decision>> decideHoldingNothing(Group group, Purpose purpose, long version) {
        Group held = group.held(true);
        if (held.bound().isEmpty() || purpose == Purpose.LOOK) {
            return decide(group, purpose, version);
        }
        return decide(held, Purpose.LOOK, version).thenCompose(looked -> decide(
                        group.held(false), Reports.allAllow(looked) ? purpose : Purpose.LOOK, version)
                .thenApply(charged -> {
                    List<Decision> all = new ArrayList<>(looked);
                    all.addAll(charged);
                    return all;
                }));
    }

    /** One decision for each engine that has a say; none if no limit is left to be asked. */
    private CompletionStage<List<Decision>> decide(Group group, Purpose purpose, long version) {
        Limiter store = shared;
        boolean inProcess = group.any(false);
        if (store == null || !group.any(true)) {
            return inProcess
                    ? local.decideAsync(group.ask(false, purpose, local, version))
                            .thenApply(List::of)
                    : CompletableFuture.completedFuture(List.of());
        }
        if (!inProcess) {
            return store.decideAsync(group.ask(true, purpose, store, version)).thenApply(List::of);
        }
        return local.decideAsync(group.ask(false, purpose, local, version))
                .thenCompose(first -> first.allowed() || purpose == Purpose.LOOK
                        ? decideInStore(group, purpose, version, first, store)
                        : CompletableFuture.completedFuture(List.of(first)));
    }

    private CompletionStage<List<Decision>> decideInStore(
            Group group, Purpose purpose, long version, Decision first, Limiter store) {
        return store.decideAsync(group.ask(true, purpose, store, version)).thenCompose(second -> {
            List<Decision> both = List.of(first, second);
            return second.allowed() || purpose == Purpose.LOOK
                    ? CompletableFuture.completedFuture(both)
                    : local.giveBack(first).handle((done, failure) -> both);
        });
    }

    private String mode() {
        return (shared == null ? Mode.LOCAL : Mode.DISTRIBUTED).word();
    }

    private Ruling.Settled told(RulingListener told, Ruling.Settled ruling, long startNanos) {
        told.ruled(ruling, clock.nanoTime() - startNanos);
        return ruling;
    }
}
