package io.sluice.rules.evaluate;

import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Ask.Purpose;
import io.sluice.core.spi.CallbackFailures;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.time.Clock;
import io.sluice.rules.caller.CallerKeys;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.SettledLimit;
import io.sluice.rules.side.Side;
import io.sluice.rules.side.SideDecisions;
import io.sluice.rules.side.Sides;
import io.sluice.rules.snapshot.CallerPlace;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.CompiledRule;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The entry point for every front end: takes the attributes of a request and returns one ruling. Thread-safe; never blocks.
 *
 * <p>A rule that denies comes first, then a rule that exempts. Otherwise all limits of all matching rules are one decision:
 * either all pass and all are charged, or one refuses and none is charged.
 *
 * <p><b>Shadow and candidate limits</b> are decided after the others and never refuse. They are charged if the request passes. They are
 * only looked at if the request is refused or only looks. So their counts are the same as if these limits were in force. The limits of one
 * shadow rule pass or refuse together, and so do the candidates of one rule. If the shared store fails, they report no refusals.
 *
 * <p><b>Two sides in one request.</b> If rules of {@code mode: local} and of another mode match together, the in-process limits are
 * charged first and the shared limits second. If the shared limits refuse, the in-process charge is given back. So the limits never admit
 * too much, but a request that will be refused may hold in-process permits for the length of one call to the store. If the in-process
 * limits refuse a request, the store is not asked at all. The ruling then reports the first in-process limit that refused, and {@code
 * retryAfter} covers only the in-process limits.
 */
public final class Evaluator {

    /** The reason of degraded decisions that were made without the shared store, because too many requests were waiting for it. */
    public static final String OVERLOAD = "node-overload";

    /** The reason why a reservation stays unsettled: the store did not answer in time, and may have charged it nevertheless. */
    private static final String DEGRADED = "degraded";

    private static final CompletionStage<EarlyRuling> PASSED = CompletableFuture.completedStage(EarlyRuling.PASSED);

    private static final CompletionStage<ShadowDecisions> NO_SHADOWS =
            CompletableFuture.completedStage(ShadowDecisions.NONE);

    private final Supplier<RuleSet> rules;
    private final Sides sides;
    private final EngineRouter router;
    private final CallerKeys keys;
    private final Clock clock;
    private final RulingListener listener;
    private final CostReports costs = new CostReports();
    private final Settlements settlements;
    private final CallbackFailures failures = new CallbackFailures("a listener of rulings", RulingListener.class);

    /** Creates an evaluator of a process that does not know the number of other processes. */
    public Evaluator(
            Supplier<RuleSet> rules,
            Limiter local,
            @Nullable Limiter shared,
            KeySettings keys,
            Clock clock,
            RulingListener listener) {
        this(rules, local, shared, keys, clock, listener, () -> 0);
    }

    /**
     * Creates an evaluator of a process with one store or none.
     *
     * @param local the limiter for {@code mode: local}, and for all other modes if there is no shared limiter
     * @param shared the limiter for the other modes; null if there is no shared store
     */
    public Evaluator(
            Supplier<RuleSet> rules,
            Limiter local,
            @Nullable Limiter shared,
            KeySettings keys,
            Clock clock,
            RulingListener listener,
            IntSupplier liveNodes) {
        this(rules, Sides.of(local, shared), keys, clock, listener, liveNodes);
    }

    /**
     * Creates an evaluator.
     *
     * @param rules the supplier of the rule set in force, called once per request
     * @param sides the engines that count limits
     * @param keys the settings for building keys from callers
     * @param liveNodes the supplier of the number of processes that decide by these rules, including this process; 0 if it is unknown.
     *     Called for each decision, so it must be fast. The number determines the share of rules without {@code local_share}
     */
    public Evaluator(
            Supplier<RuleSet> rules,
            Sides sides,
            KeySettings keys,
            Clock clock,
            RulingListener listener,
            IntSupplier liveNodes) {
        this.rules = rules;
        this.sides = sides;
        this.router = new EngineRouter(liveNodes);
        this.keys = keys.keys();
        this.clock = clock;
        this.listener = listener;
        this.settlements = new Settlements(costs.issuer(), sides, listener, failures);
    }

    /**
     * Rules on a request.
     *
     * @param permits the number of permits to charge, 1 to {@link Limit#MAX_PERMITS}, or 0 to check whether one permit would pass
     */
    public CompletionStage<Ruling> evaluate(Attributes request, long permits) {
        long start = clock.nanoTime();
        return ruling(match(request, permits, false), start);
    }

    /**
     * Rules on a request before its caller is authenticated, by the {@linkplain RuleSet#early early} rules only. Limits of rules that count
     * answers are only looked at: they refuse if no permits are left. {@link #answered} charges them.
     *
     * @param request the known attributes of the request, see {@link io.sluice.rules.model.EarlyAttributes}
     */
    public CompletionStage<EarlyRuling> evaluateEarly(Attributes request) {
        long start = clock.nanoTime();
        CallerRules own = callerRules(rules.get(), request);
        List<CompiledRule> found = own.rules().early(request);
        if (found.isEmpty()) {
            return PASSED;
        }
        MatchedRequest now = early(own, found, false, request);
        MatchedRequest answers = early(own, found, true, request);
        Rule rule = now.verdictOf();
        if (rule != null) {
            // Rules that exempt match again later and are then reported.
            return rule.action() == Action.EXEMPT
                    ? PASSED
                    : rulingEarly(now, start).thenApply(ruling -> new EarlyRuling(ruling, null));
        }
        return answers.ruleIds().isEmpty()
                ? rulingEarly(now, start).thenApply(ruling -> new EarlyRuling(ruling, null))
                : lookFirst(answers, now, start);
    }

    private MatchedRequest early(CallerRules own, List<CompiledRule> found, boolean ofAnswers, Attributes request) {
        List<CompiledRule> some = found.stream()
                .filter(each -> each.rule().countsAnswers() == ofAnswers)
                .toList();
        return MatchedRequest.of(own.rules(), some, request, 1, sides, keys, clock)
                .at(own.place());
    }

    /** Charges a request only if all limits for answers have permits left. */
    private CompletionStage<EarlyRuling> lookFirst(MatchedRequest answers, MatchedRequest now, long start) {
        RulingListener told = begun(answers.request());
        BoundLimit lacking = answers.live().lacking();
        return look(answers, answers.live())
                .thenCombine(shadows(answers, Purpose.LOOK), (decisions, shadows) -> {
                    Ruling.Settled looked = lacking != null
                            ? RulingWriter.lacking(answers, lacking, shadows)
                            : RulingWriter.byLimits(answers, decisions, shadows, sides.mode(), false);
                    if (looked.allowed() && looked.shadowRefused().isEmpty()) {
                        abandoned(told);
                        return looked;
                    }
                    return toldEarly(told, answers.request(), looked, start);
                })
                .thenCompose(looked -> !looked.allowed()
                        ? CompletableFuture.completedFuture(new EarlyRuling(looked, null))
                        : now.ruleIds().isEmpty()
                                ? CompletableFuture.completedFuture(new EarlyRuling(null, answers))
                                : rulingEarly(now, start).thenApply(ruling -> EarlyRuling.of(ruling, answers)));
    }

    /**
     * Charges the limits that count answers of this status, each on its own and only if it has permits left. The stage completes when they
     * are charged; the caller need not wait for it.
     *
     * @param ruling an early ruling that let the request pass
     */
    public CompletionStage<?> answered(EarlyRuling ruling, int status) {
        MatchedRequest answers = ruling.answers();
        CompletionStage<?> done = NO_SHADOWS;
        if (answers == null) {
            return done;
        }
        List<LimitGroup> groups = new ArrayList<>(answers.shadows());
        groups.add(answers.live());
        for (LimitGroup group : groups) {
            for (BoundLimit bound : group.limits()) {
                if (EarlyRuling.counts(bound.rule(), status)) {
                    done = done.thenCombine(charge(group, bound, 1), (a, b) -> b);
                }
            }
        }
        return done;
    }

    /**
     * Works like {@link #evaluate}. The reservation of an allowed ruling contains every limit that can be settled, not only the limits
     * whose cost has a settlement.
     */
    public CompletionStage<Ruling> evaluateReserving(Attributes request, long permits) {
        long start = clock.nanoTime();
        return ruling(match(request, permits, true), start);
    }

    /**
     * Settles a reservation with the real figures. Unused permits are given back; permits used beyond the reservation are charged, even
     * into debt. Each limit settles a reservation once, so this may be repeated. A limit that only another process can settle, because that
     * process decided it, is {@linkplain SettlementResult#UNKNOWN unknown}. The stage completes exceptionally if the store does not answer
     * in time; the reservation then stays charged, or is settled nevertheless.
     *
     * @param actual the real figures by the name of the limit in reports, 0 to {@link Limit#MAX_PERMITS}; limits without a figure stay as
     *     they are
     * @param atMost the maximum time to try
     * @return one result for each figure, in the order of the reservation
     * @throws IllegalArgumentException if a name or a figure is not legal
     */
    public CompletionStage<List<SettledLimit>> settle(
            Reservation reservation, Map<String, Long> actual, Duration atMost) {
        return settlements.settle(reservation, actual, atMost);
    }

    /**
     * Returns a future that completes when the settlements in progress have ended, settled or not. A process that stops waits for it before
     * closing the engines.
     */
    public CompletableFuture<Void> settlementsUnderWay() {
        return settlements.underWay();
    }

    /**
     * Notes that a reservation will not be settled, so that it stays charged.
     *
     * @param reason a short word for metrics
     */
    public void unsettled(Reservation reservation, String reason) {
        settlements.unsettled(reservation, reason);
    }

    /** Works like {@link #evaluate}, but without the limits that {@link #evaluateEarly} has decided. */
    public CompletionStage<Ruling> evaluateAfterEarly(Attributes request, long permits) {
        long start = clock.nanoTime();
        CallerRules own = callerRules(rules.get(), request);
        RuleSet set = own.rules();
        return ruling(
                MatchedRequest.of(set, set.afterEarly(request), request, permits, sides, keys, clock)
                        .at(own.place()),
                start);
    }

    /**
     * Rules on a call by rules that the caller names, regardless of their scope. Either all pass and all are charged, or one refuses and
     * none is charged. Claims on the same count become one demand for the sum of their permits. Disabled rules do not apply. Otherwise this
     * works like {@link #evaluate}.
     */
    public CompletionStage<Ruling> evaluateNamed(List<RuleCall> claims) {
        long start = clock.nanoTime();
        return ruling(matchNamed(claims), start);
    }

    /**
     * Works like {@link #evaluateNamed}, but waits for its turn as {@link Limiter#acquire(List, Duration)} does, without blocking a thread.
     * The caller may proceed as soon as an allowed ruling arrives.
     *
     * <p>Cancelling the future gives up the wait and returns any permits that were charged. If two engines are involved, the in-process
     * engine comes first, and its charge stays in place during the wait for the store.
     *
     * @param maxWait the maximum wait, zero or more
     */
    public CompletableFuture<Ruling> acquireNamed(List<RuleCall> claims, Duration maxWait) {
        long start = clock.nanoTime();
        MatchedRequest matched = matchNamed(claims);
        if (matched.verdictOf() != null
                || matched.impossible() != null
                || matched.live().lacking() != null) {
            return ruling(matched, start).toCompletableFuture();
        }
        RulingListener told = begun(matched.request());
        Acquisition live = router.acquire(matched.live(), matched.set().version(), maxWait, clock);
        CompletableFuture<Ruling> result = new CompletableFuture<>();
        CompletionStage<Ruling> cancelled = result;
        cancelled.whenComplete((ruling, failure) -> {
            live.cancel();
            if (failure != null) {
                abandoned(told);
            }
        });
        live.decisions()
                .thenCompose(decisions -> settle(matched, decisions, Purpose.CHARGE))
                .whenComplete((ruling, failure) -> finish(result, told, matched, ruling, failure, start));
        return result;
    }

    private void finish(
            CompletableFuture<Ruling> result,
            RulingListener told,
            MatchedRequest matched,
            Ruling.@Nullable Settled ruling,
            @Nullable Throwable failure,
            long start) {
        if (ruling == null) {
            result.completeExceptionally(failure == null ? new IllegalStateException("no ruling") : failure);
        } else if (result.isDone()) {
            giveBack(ruling, false);
        } else if (!result.complete(told(told, matched.requestOf(ruling), ruling.withoutWait(), start))) {
            giveBack(ruling);
        }
    }

    /**
     * Gives back the charges of an allowed ruling, as far as they still count. Its reservation is then settled with a cost of zero. Call it
     * at most once per ruling.
     */
    public CompletionStage<?> giveBack(Ruling.Settled ruling) {
        return giveBack(ruling, true);
    }

    /** @param told whether the listener was notified of the ruling */
    private CompletionStage<?> giveBack(Ruling.Settled ruling, boolean told) {
        CompletionStage<?> given = ruling.decisions().giveBack();
        Reservation reservation = ruling.reservation();
        if (reservation != null) {
            given = given.thenCompose(done -> settlements.givenBack(reservation, ruling.decisions(), told));
        }
        Permit permit = ruling.permit();
        if (permit == null) {
            return given;
        }
        // The remaining permits are those of shadow limits.
        Permit rest = permit.without(ruling.decisions());
        return given.thenCombine(release(rest), (nothing, released) -> released);
    }

    private CompletionStage<Ruling> ruling(MatchedRequest matched, long start) {
        return ruling(matched, (told, ruling) -> told(told, matched.requestOf(ruling), ruling, start));
    }

    private CompletionStage<Ruling> rulingEarly(MatchedRequest matched, long start) {
        return ruling(matched, (told, ruling) -> toldEarly(told, matched.request(), ruling, start));
    }

    private CompletionStage<Ruling> ruling(
            MatchedRequest matched, BiFunction<RulingListener, Ruling.Settled, Ruling.Settled> tell) {
        Rule rule = matched.verdictOf();
        if (rule != null) {
            return CompletableFuture.completedFuture(
                    tell.apply(begun(matched.request()), RulingWriter.byRule(matched, rule, sides.mode())));
        }
        Ruling.Impossible impossible = matched.impossible();
        if (impossible != null) {
            return CompletableFuture.completedFuture(impossible);
        }
        RulingListener told = begun(matched.request());
        SideDecisions decision = router.decideHere(matched);
        return decision != null
                ? CompletableFuture.completedFuture(tell.apply(told, byLimits(matched, decision, ShadowDecisions.NONE)))
                : settle(matched).thenApply(ruling -> tell.apply(told, ruling));
    }

    /**
     * Returns the ruling that {@link #evaluate} would return, and the state of each limit. Charges no permits and does not notify the
     * listener.
     */
    public CompletionStage<Explanation> explain(Attributes request, long permits) {
        MatchedRequest matched = match(request, permits, false);
        return new Explainer(matched, keys, this::look).explain(sides.mode());
    }

    /**
     * Releases all permits of a {@link Permit}. The stage completes with whether any of them was still held. It completes exceptionally if
     * a side does not answer within its deadline.
     */
    public CompletionStage<Boolean> release(Permit permit) {
        return eachSide(permit, Side::release, Boolean::logicalOr, false);
    }

    /**
     * Extends all permits of a {@link Permit} to their full time to live from now. The stage completes with whether all of them were still
     * held.
     */
    public CompletionStage<Boolean> renew(Permit permit) {
        return eachSide(permit, Side::renew, Boolean::logicalAnd, true);
    }

    private CompletionStage<Boolean> eachSide(
            Permit permit,
            BiFunction<Side, List<Charge>, CompletionStage<Boolean>> action,
            BinaryOperator<Boolean> both,
            boolean nothing) {
        CompletionStage<Boolean> all = CompletableFuture.completedFuture(nothing);
        for (String name : permit.sides()) {
            List<Charge> held = permit.heldBy(name);
            if (!held.isEmpty()) {
                CompletionStage<Boolean> own = sides.find(name)
                        .map(side -> action.apply(side, held))
                        .orElse(CompletableFuture.completedFuture(false));
                all = all.thenCombine(own, both);
            }
        }
        return all;
    }

    /** Returns the rules in force. */
    public RuleSet rules() {
        return rules.get();
    }

    /** Returns the rules for the caller of a request, as far as the caller is known: the rules in force, or the rules on trial. */
    public RuleSet rules(Attributes known) {
        return callerRules(rules.get(), known).rules();
    }

    /** Returns the individual steps, for protocols that combine several requests into one decision. */
    public JointEvaluation joint() {
        return new Steps(sides);
    }

    /**
     * Returns the same steps without the shared store, to shed load: each rule's {@code on_failure} decides immediately, and the decisions
     * are degraded because of {@link #OVERLOAD}.
     */
    public JointEvaluation jointWithoutStore() {
        return new Steps(sides.shedding(OVERLOAD));
    }

    private final class Steps implements JointEvaluation {

        private final Sides sides;

        Steps(Sides sides) {
            this.sides = sides;
        }

        @Override
        public RuleSet rules() {
            return rules.get();
        }

        @Override
        public MatchedRequest match(RuleSet set, Attributes request, long permits, List<NamedRule> named) {
            if (set.trial() == null) {
                return MatchedRequest.of(set, request, permits, named, sides, keys, clock);
            }
            CallerRules own = callerRules(set, request);
            return MatchedRequest.of(own.rules(), request, permits, named, sides, keys, clock)
                    .at(own.place());
        }

        @Override
        public CompletionStage<SideDecisions> decide(LimitGroup group, Purpose purpose, long version) {
            return router.decideHoldingNothing(group, purpose, version);
        }

        @Override
        public @Nullable SideDecisions chargeHere(LimitGroup group, long version) {
            return group.holds() ? null : router.chargeHere(group, version);
        }

        @Override
        public CompletionStage<?> charge(LimitGroup group, BoundLimit limit, long permits) {
            return Evaluator.charge(group, limit, permits);
        }

        @Override
        public CompletionStage<List<UsedLimit>> chargeUsage(MatchedRequest request) {
            return settlements.usage(router).charge(request);
        }

        @Override
        public String mode() {
            return sides.mode();
        }

        @Override
        public long nowMicros() {
            return clock.epochMicros();
        }

        @Override
        public long nanoTime() {
            return clock.nanoTime();
        }

        @Override
        public Telling begin(Attributes request, long startNanos) {
            RulingListener begun = Evaluator.this.begun(request);
            return (deciding, ruling) -> told(begun, deciding, ruling, startNanos);
        }
    }

    private static CompletionStage<?> charge(LimitGroup group, BoundLimit limit, long permits) {
        Demand demand = limit.demand();
        long most =
                Math.min(Math.min(permits, Limit.MAX_PERMITS), limit.numbers().capacity());
        if (demand == null || most < 1 || limit.isHeld()) {
            return CompletableFuture.completedFuture(null);
        }
        Ask ask = Ask.charging(List.of(demand.permits(most).orAtLeast(1)));
        return limit.side().charge(ask, group.deadline(limit.side()));
    }

    private MatchedRequest match(Attributes request, long permits, boolean reserves) {
        if (permits < 0 || permits > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("permits: " + permits + " (expected: 0.." + Limit.MAX_PERMITS + ")");
        }
        RuleSet set = rules.get();
        if (set.trial() == null) {
            return matched(set, request, permits, reserves);
        }
        CallerRules own = callerRules(set, request);
        return matched(own.rules(), request, permits, reserves).at(own.place());
    }

    private MatchedRequest matched(RuleSet set, Attributes request, long permits, boolean reserves) {
        return reserves
                ? MatchedRequest.reserving(set, request, permits, sides, keys, clock)
                : MatchedRequest.of(set, request, permits, sides, keys, clock);
    }

    /** The rules for one caller, and its place in a trial. */
    private record CallerRules(RuleSet rules, @Nullable CallerPlace place) {}

    private CallerRules callerRules(RuleSet set, Attributes request) {
        CallerTrial trial = set.trial();
        if (trial == null) {
            return new CallerRules(set, null);
        }
        CallerPlace place = trial.place(keys.counted(trial.split().attribute(), request));
        boolean tries = place != null && place.onTrial() && !trial.split().watched();
        return new CallerRules(tries ? trial.rules() : set, place);
    }

    /** Applies named rules. For callers on trial, a rule of the set in force is replaced by the version on trial. */
    private MatchedRequest matchNamed(List<RuleCall> claims) {
        RuleSet set = rules.get();
        if (set.trial() == null || claims.isEmpty()) {
            return MatchedRequest.of(set, claims, sides, keys, clock);
        }
        CallerRules own = callerRules(set, claims.get(0).request());
        List<RuleCall> calls = claims.stream()
                .map(claim -> new RuleCall(
                        set.sameRule(claim.rule(), own.rules()), claim.request(), claim.permits(), claim.reserves()))
                .toList();
        return MatchedRequest.of(own.rules(), calls, sides, keys, clock).at(own.place());
    }

    private CompletionStage<Ruling.Settled> settle(MatchedRequest matched) {
        BoundLimit lacking = matched.live().lacking();
        if (lacking != null) {
            return shadows(matched, Purpose.LOOK).thenApply(said -> RulingWriter.lacking(matched, lacking, said));
        }
        Purpose purpose = matched.permits() == 0 ? Purpose.LOOK : Purpose.CHARGE;
        return router.decide(matched.live(), purpose, matched.set().version())
                .thenCompose(decisions -> settle(matched, decisions, purpose));
    }

    private CompletionStage<Ruling.Settled> settle(MatchedRequest matched, SideDecisions decisions, Purpose purpose) {
        CompletionStage<ShadowDecisions> shadows = matched.shadows().isEmpty()
                ? NO_SHADOWS
                : shadows(matched, decisions.allowed() ? purpose : Purpose.LOOK);
        CompletionStage<Ruling.Settled> ruled = shadows.thenApply(said -> byLimits(matched, decisions, said));
        return matched.usage().limits().isEmpty()
                ? ruled
                : ruled.thenCompose(ruling -> !ruling.allowed()
                        ? CompletableFuture.completedFuture(ruling)
                        : settlements.usage(router).charge(matched).thenApply(used -> UsageCharges.add(ruling, used)));
    }

    private Ruling.Settled byLimits(MatchedRequest matched, SideDecisions decisions, ShadowDecisions shadows) {
        Ruling.Settled ruling = costs.reserve(
                RulingWriter.byLimits(matched, decisions, shadows, sides.mode(), false), matched, shadows);
        Reservation unknown = costs.unknown(ruling, matched);
        if (unknown != null) {
            settlements.unsettled(unknown, DEGRADED);
        }
        return ruling;
    }

    private CompletionStage<ShadowDecisions> shadows(MatchedRequest matched, Purpose purpose) {
        CompletionStage<ShadowDecisions> all = CompletableFuture.completedFuture(ShadowDecisions.NONE);
        for (LimitGroup group : matched.shadows()) {
            Purpose own = group.lacking() == null ? purpose : Purpose.LOOK;
            all = all.thenCombine(
                    router.decide(group, own, matched.set().version()),
                    (shadows, decisions) -> shadows.and(group, decisions));
        }
        return all;
    }

    private CompletionStage<SideDecisions> look(MatchedRequest matched, LimitGroup group) {
        return router.decide(group, Purpose.LOOK, matched.set().version());
    }

    private RulingListener begun(Attributes request) {
        try {
            return listener.begun(request);
        } catch (Throwable e) {
            failures.add(e);
            return listener;
        }
    }

    private Ruling.Settled told(RulingListener told, Attributes request, Ruling.Settled ruling, long startNanos) {
        try {
            told.ruled(request, ruling, clock.nanoTime() - startNanos);
        } catch (Throwable e) {
            failures.add(e);
        }
        return ruling;
    }

    /** Reports an early ruling. A request that passes early gets another ruling later. */
    private Ruling.Settled toldEarly(RulingListener told, Attributes request, Ruling.Settled ruling, long startNanos) {
        if (!ruling.allowed()) {
            return told(told, request, ruling, startNanos);
        }
        try {
            told.passedEarly(request, ruling, clock.nanoTime() - startNanos);
        } catch (Throwable e) {
            failures.add(e);
        }
        return ruling;
    }

    private void abandoned(RulingListener told) {
        try {
            told.abandoned();
        } catch (Throwable e) {
            failures.add(e);
        }
    }
}
