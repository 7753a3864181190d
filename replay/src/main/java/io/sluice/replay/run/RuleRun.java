package io.sluice.replay.run;

import io.sluice.core.Decision;
import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Label;
import io.sluice.core.spi.Verdict;
import io.sluice.replay.log.LoggedRequest;
import io.sluice.rules.caller.CallerMarks;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.EarlyRuling;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.CompiledRule;
import io.sluice.rules.snapshot.RuleSet;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A run of one set of rules: the evaluator and the in-process engine that also decide live requests, with the time of the log. Not
 * thread-safe.
 */
final class RuleRun {

    /**
     * The key of the hashes of callers. The hashes do not leave the replay, so the key need not be secret. It is always the same, because
     * the engine's bound and the order of equally frequent callers depend on the hashes.
     */
    private final KeySettings keys = new KeySettings(
            KeySecret.of("hashes stay within a replay".getBytes(StandardCharsets.UTF_8)),
            KeySettings.DEFAULT_IPV6_PREFIX);

    private final RuleSet set;
    private final LogClock clock;
    private final long startMicros;
    private final LocalEngine engine;
    private final Evaluator evaluator;
    private final Limiter limiter;
    private final @Nullable PreparedRules prepared;
    private final Endings endings;
    private final boolean early;
    private final boolean countsAnswers;
    private final Map<String, RuleTally> tallies = new LinkedHashMap<>();
    private final TallyRoom room = TallyRoom.usual();
    private final Timeline timeline;
    private final RulingObserver observer;

    private long number;
    private long allowed;
    private long overflowed;
    private long withoutDuration;
    private long withoutStatus;
    private boolean matched;
    private @Nullable String refusedBy;
    private Outcome.@Nullable Refusal refusal;

    /** The rule that a ruling names, if several refuse. */
    private @Nullable String named;

    /**
     * @param observer receives the rulings, except for prepared requests
     * @param prepares whether requests are prepared if possible; the result is the same, but prepared requests have no {@link #outcome}
     */
    RuleRun(RuleSet set, long maxKeys, LogClock clock, RulingObserver observer, boolean prepares) {
        this.set = set;
        this.observer = observer;
        this.clock = clock;
        this.startMicros = clock.epochMicros();
        this.engine = LocalEngine.builder().clock(clock).maxKeys(maxKeys).build();
        this.limiter = new Limiter(engine, clock, List.of());
        this.evaluator = new Evaluator(() -> set, limiter, null, keys, clock, (ruling, nanos) -> {});
        this.endings = new Endings(evaluator, clock);
        this.early = set.hasEarly();
        this.prepared = prepares && PreparedRules.canPrepare(set) ? new PreparedRules(set, keys.keys(), clock) : null;
        this.countsAnswers = set.rules().stream().anyMatch(rule -> rule.enabled() && rule.countsAnswers());
        this.timeline = new Timeline(startMicros);
        set.rules().forEach(rule -> tallies.put(rule.id(), new RuleTally(rule)));
    }

    /** Decides the next request and returns whether it passes. */
    boolean decide(LoggedRequest request) {
        number++;
        endings.until(request.atMicros());
        clock.moveTo(request.atMicros());
        refusedBy = null;
        refusal = null;
        named = null;
        matched = false;
        boolean passes = early ? decideEarly(request) : decideOnce(request);
        allowed += passes ? 1 : 0;
        timeline.add(request.atMicros(), passes);
        return passes;
    }

    /** Returns the rule that refused the last request, or null if the request passed. */
    @Nullable
    String refusedBy() {
        return refusedBy;
    }

    /** Returns the outcome of the last request. */
    Outcome outcome() {
        return new Outcome(matched, refusedBy == null ? Optional.empty() : Optional.ofNullable(refusal));
    }

    /** Asks the engine directly if the rules are prepared for the request. Otherwise the evaluator decides. */
    private boolean decideOnce(LoggedRequest request) {
        if (prepared == null || request.permits() != 1) {
            return decideNow(request, null);
        }
        PreparedRules.Route route = prepared.route(request.attributes());
        Ask ask = prepared.ask(route, request.attributes());
        if (ask == null) {
            return decideNow(request, null);
        }
        Decision decision = limiter.decide(ask);
        for (int i = 0; i < route.ids.size(); i++) {
            tally(route.ids.get(i)).matched(request.atMicros());
        }
        boolean passes = decision.allowed();
        if (!passes) {
            refused(request, decision);
            Label label = decision.label();
            refusedBy = label == null ? refusedBy : label.rule();
        }
        if (engine.overflowed() != overflowed) {
            inexact(request, passes, List.of(decision), route.ids);
        }
        return passes;
    }

    private boolean decideEarly(LoggedRequest request) {
        Attributes attributes = request.attributes();
        if (countsAnswers) {
            for (CompiledRule each : set.early(attributes)) {
                if (each.rule().countsAnswers()) {
                    tally(each.rule().id()).matched(request.atMicros());
                }
            }
        }
        EarlyRuling ruling =
                evaluator.evaluateEarly(attributes).toCompletableFuture().join();
        Ruling first = ruling.ruling().orElse(null);
        if (first != null && !count(request, first, countsAnswers)) {
            return false;
        }
        return decideNow(request, ruling);
    }

    private boolean decideNow(LoggedRequest request, @Nullable EarlyRuling before) {
        Attributes attributes = request.attributes();
        Ruling ruling = (before == null
                        ? evaluator.evaluate(attributes, request.permits())
                        : evaluator.evaluateAfterEarly(attributes, request.permits()))
                .toCompletableFuture()
                .join();
        boolean passes = count(request, ruling, false);
        boolean answers = before != null && before.countsAnswer();
        if (answers && request.status() == LoggedRequest.UNKNOWN) {
            withoutStatus++;
            answers = false;
        }
        boolean holds = ruling instanceof Ruling.Settled settled && settled.permit() != null;
        if (answers || holds) {
            withoutDuration += holds && request.durationMicros() < 0 ? 1 : 0;
            endings.add(
                    request.atMicros() + Math.max(0, request.durationMicros()),
                    ruling instanceof Ruling.Settled settled ? settled.permit() : null,
                    answers ? before : null,
                    request.status());
        }
        return passes;
    }

    /** @param looked whether rules that count answers have been counted as matching */
    private boolean count(LoggedRequest request, Ruling ruling, boolean looked) {
        if (ruling instanceof Ruling.Impossible impossible) {
            RuleTally tally = tally(impossible.rule());
            this.matched = true;
            tally.matched(request.atMicros());
            refuse(tally, impossible.rule(), request, impossible.limit(), "");
            return false;
        }
        Ruling.Settled settled = (Ruling.Settled) ruling;
        observer.settled(request, settled);
        List<String> rules = settled.matched();
        matched |= !rules.isEmpty();
        for (int i = 0; i < rules.size(); i++) {
            RuleTally tally = tally(rules.get(i));
            if (!looked || !isCountedAlready(rules.get(i))) {
                tally.matched(request.atMicros());
            }
        }
        if (!settled.allowed()) {
            refused(request, settled);
        }
        if (!settled.shadowRefused().isEmpty()) {
            for (Label label : settled.shadowRefused()) {
                tally(label.rule()).wouldRefuse(number, label.limit());
            }
        }
        if (engine.overflowed() != overflowed) {
            inexact(request, settled.allowed(), settled.decisions().all(), settled.matched());
        }
        return settled.allowed();
    }

    private boolean isCountedAlready(String rule) {
        return set.rule(rule).filter(Rule::countsAnswers).isPresent();
    }

    private void refused(LoggedRequest request, Ruling.Settled ruling) {
        Rule rule = ruling.rule();
        boolean counted = false;
        named = rule == null ? null : rule.id();
        for (Decision decision : ruling.decisions()) {
            counted |= refused(request, decision);
        }
        if (!counted && rule != null) {
            Ruling.Reported reported = ruling.action() == Action.DENY ? null : ruling.reported();
            refuse(tally(rule.id()), rule.id(), request, reported == null ? null : reported.id(), "");
        }
        refusedBy = rule == null ? refusedBy : rule.id();
    }

    /** Counts the limits that have no room and returns whether there are any. */
    private boolean refused(LoggedRequest request, Decision decision) {
        List<Verdict> verdicts = decision.outcome().verdicts();
        boolean any = false;
        for (int i = 0; i < verdicts.size(); i++) {
            if (!verdicts.get(i).fits()) {
                Demand demand = decision.ask().demands().get(i);
                Label label = demand.label();
                refuse(tally(label.rule()), label.rule(), request, label.limit(), demand.key());
                any = true;
            }
        }
        return any;
    }

    private void refuse(RuleTally tally, String rule, LoggedRequest request, @Nullable String limit, String key) {
        String address = request.attributes().get("ip");
        String caller = !key.isEmpty() ? key : address == null ? Address.UNKNOWN : address;
        tally.refused(number, request, limit, caller, startMicros, room);
        refusedBy = refusedBy == null ? rule : refusedBy;
        Outcome.Refusal known = refusal;
        if (known == null || (rule.equals(named) && !rule.equals(known.rule()))) {
            refusal = new Outcome.Refusal(rule, Optional.ofNullable(limit), caller, !key.isEmpty());
        }
    }

    /**
     * Finds the limits that were decided on shared counts. A refusal does not show which limits these were, so all of them may have been.
     */
    private void inexact(LoggedRequest request, boolean passes, List<Decision> decisions, List<String> matched) {
        overflowed = engine.overflowed();
        boolean found = false;
        for (Decision decision : decisions) {
            List<Verdict> verdicts = decision.outcome().verdicts();
            for (int i = 0; i < verdicts.size(); i++) {
                Demand demand = decision.ask().demands().get(i);
                boolean shared = passes
                        ? verdicts.get(i).chargedAtMicros() == Verdict.FINAL
                        : !demand.key().isEmpty();
                if (shared) {
                    tally(demand.label().rule()).inexact(number, request);
                    found = true;
                }
            }
        }
        if (!found) {
            matched.forEach(id -> tally(id).inexact(number, request));
        }
    }

    private RuleTally tally(String rule) {
        RuleTally tally = tallies.get(rule);
        if (tally == null) {
            throw new IllegalStateException("a ruling names a rule that is not in the set: " + rule);
        }
        return tally;
    }

    SetResult result() {
        CallerMarks marks = new CallerMarks(keys);
        List<RuleResult> rules =
                tallies.values().stream().map(tally -> tally.result(set, marks)).toList();
        return new SetResult(allowed, number - allowed, rules, timeline.series(), notes(rules));
    }

    private List<String> notes(List<RuleResult> rules) {
        List<String> notes = new ArrayList<>();
        if (withoutDuration > 0) {
            notes.add("Concurrency limits were not replayed for " + withoutDuration
                    + " requests, because the log does not say how long they took: " + names(rules, true));
        }
        if (withoutStatus > 0) {
            notes.add("Answers were not counted for " + withoutStatus
                    + " requests, because the log does not have their status: " + names(rules, false));
        }
        return notes;
    }

    private static String names(List<RuleResult> rules, boolean concurrency) {
        return String.join(
                ", ",
                rules.stream()
                        .map(RuleResult::rule)
                        .filter(rule -> concurrency
                                ? rule.limits().stream()
                                        .anyMatch(limit -> limit.limit().kind().holds())
                                : rule.countsAnswers())
                        .map(Rule::id)
                        .toList());
    }
}
