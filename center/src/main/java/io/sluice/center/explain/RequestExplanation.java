package io.sluice.center.explain;

import io.sluice.center.callers.NodeAnswer;
import io.sluice.center.explain.ExplainReply.ExplainedDecision;
import io.sluice.center.explain.ExplainReply.ExplainedLimit;
import io.sluice.center.explain.ExplainReply.ExplainedRule;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Parameter;
import io.sluice.core.time.Clock;
import io.sluice.rules.caller.CallerKey;
import io.sluice.rules.caller.CallerKeys;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.changes.LimitWords;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.CompiledRule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Compares one request with the rules that the person who asks may read, and adds the counts that a node returned. Used for one request
 * only.
 */
final class RequestExplanation {

    /** The maximum number of listed rules that do not apply. Further rules are only counted. */
    private static final int MOST_NEAR = 20;

    private static final int MOST_RULES = 500;

    /** The part of a key that shows that a node hides even the beginning of a value. */
    private static final String HIDDEN = "=***";

    private final RuleSet rules;
    private final Predicate<String> sees;
    private final Predicate<String> learns;
    private final Attributes request;
    private final Clock clock;
    private final CallerKeys keys = KeySettings.ofThisProcess().keys();
    private final Map<String, CompiledRule> matching = new LinkedHashMap<>();

    /** The fields that a node returned, by rule and limit, in the order in which limits are reported. */
    private final Map<String, Map<String, Object>> told = new LinkedHashMap<>();

    private boolean answered;

    /** True if the node that answered decides without its shared store. */
    private boolean degraded;

    private Optional<Boolean> nodeAllows = Optional.empty();

    private record Near(Rule rule, ScopeReason reason) {}

    /**
     * Creates an explanation.
     *
     * @param rules the rules that decide
     * @param sees whether the person who asks may read a rule
     * @param learns whether the person who asks may see the hash under which a rule counts the caller
     */
    RequestExplanation(
            RuleSet rules, Predicate<String> sees, Predicate<String> learns, Attributes request, Clock clock) {
        this.rules = rules;
        this.sees = sees;
        this.learns = learns;
        this.request = request;
        this.clock = clock;
        for (CompiledRule each : rules.ready(request)) {
            if (sees.test(each.rule().id())) {
                matching.put(each.rule().id(), each);
            }
        }
    }

    /** Returns whether a limit applies, so that counts matter. */
    boolean hasLimits() {
        return matching.values().stream().anyMatch(each -> !each.rule().limits().isEmpty());
    }

    /**
     * Adds the answer of a node.
     *
     * @param byAll whether the person who asks may see the node's decision by all its rules
     */
    void tell(NodeAnswer.Explained answer, boolean byAll) {
        answered = true;
        degraded = answer.degraded();
        nodeAllows = answer.allowed().filter(unused -> byAll);
        answer.limits()
                .forEach(
                        each -> told.put(name(String.valueOf(each.get("rule")), String.valueOf(each.get("id"))), each));
    }

    /** Returns the rules that apply, followed by rules that nearly apply and the wanted rule. */
    List<ExplainedRule> rules(Optional<String> wanted) {
        List<ExplainedRule> all = new ArrayList<>();
        for (CompiledRule each : matching.values()) {
            if (all.size() < MOST_RULES) {
                all.add(explained(
                        each.rule(), true, ScopeReason.of(each.rule(), request).why(), limits(each)));
            }
        }
        for (Near each : near(wanted)) {
            all.add(explained(each.rule, false, each.reason.why(), List.of()));
        }
        return all;
    }

    /** Returns the number of rules that the person who asks may read. */
    long count() {
        return rules.rules().stream().filter(rule -> sees.test(rule.id())).count();
    }

    private List<Near> near(Optional<String> wanted) {
        List<Near> near = new ArrayList<>();
        for (Rule released : rules.rules()) {
            if (!matching.containsKey(released.id()) && sees.test(released.id())) {
                Rule rule = rules.rule(released.id()).orElse(released);
                near.add(new Near(rule, ScopeReason.of(rule, request)));
            }
        }
        near.sort(Comparator.<Near>comparingInt(
                        each -> wanted.filter(each.rule.id()::equals).isPresent() ? 0 : 1)
                .thenComparingInt(each -> each.reason.failed()));
        return near.subList(0, Math.min(MOST_NEAR, near.size()));
    }

    private static ExplainedRule explained(Rule rule, boolean matches, String why, List<ExplainedLimit> limits) {
        return new ExplainedRule(
                rule.id(),
                rule.about().name().orElse(null),
                matches,
                why,
                !rule.enabled() ? "disabled" : rule.shadow() ? "shadow" : "live",
                rule.action().word(),
                limits);
    }

    private List<ExplainedLimit> limits(CompiledRule compiled) {
        Rule rule = compiled.rule();
        List<ExplainedLimit> all = new ArrayList<>();
        for (int i = 0; i < rule.limits().size(); i++) {
            RuleLimit limit = rule.limits().get(i);
            Optional<Limit> other = compiled.override(i, request, clock).map(CompiledRule.InForce::numbers);
            all.add(limit(rule, limit, other.orElse(limit.limit()), rule.shadow(), other.isPresent()));
        }
        rule.candidate().forEach(limit -> all.add(limit(rule, limit, limit.limit(), true, false)));
        return all;
    }

    private ExplainedLimit limit(Rule rule, RuleLimit limit, Limit numbers, boolean shadow, boolean overridden) {
        Map<String, Object> known = told.getOrDefault(name(rule.id(), limit.id()), Map.of());
        // Without its store, a node has no counts and reports that nothing is left.
        Map<String, Object> counts = isUncounted(rule) ? Map.of() : known;
        List<String> by = limit.by().stream().map(By::attribute).toList();
        String key = by.isEmpty() ? null : keys.masked(limit.by(), limit.absent(), limit.privacy(), request);
        return new ExplainedLimit(
                limit.id(),
                amount(limit.limit(), numbers, known) + (by.isEmpty() ? "" : " by " + String.join(", ", by)),
                by,
                known.get("key") instanceof String text && !text.isEmpty() ? text : key,
                hash(rule, known),
                flag(known, "shadow").orElse(shadow),
                flag(known, "override").orElse(overridden),
                flag(counts, "would_allow").orElse(null),
                number(counts, "used"),
                number(counts, "remaining"),
                number(counts, "retry_after_ms"),
                number(counts, "reset_after_ms"));
    }

    /** Returns whether a rule counts in a store that is unavailable. */
    private boolean isUncounted(Rule rule) {
        return degraded && rule.handling().mode() != Mode.LOCAL;
    }

    /**
     * Returns the hash of the caller for people who set overrides. The hash stands for a value that the person who asks chose, so it would
     * reveal which of the hashes elsewhere stands for that value. If a rule hides its callers, the hash is never returned.
     */
    private @Nullable String hash(Rule rule, Map<String, Object> known) {
        boolean isHidden = !(known.get("key") instanceof String key) || key.contains(HIDDEN);
        return !isHidden && learns.test(rule.id()) && known.get("hash") instanceof String text ? text : null;
    }

    /** Returns the numbers in words. Only the node knows which overrides by hash exist for this caller. */
    private static String amount(Limit usual, Limit expected, Map<String, Object> known) {
        Optional<Boolean> overridden = flag(known, "override");
        if (overridden.isEmpty()) {
            return LimitWords.amount(expected);
        }
        if (!overridden.get()) {
            return LimitWords.amount(usual);
        }
        Long capacity = number(known, "limit");
        Object rate = known.get("rate");
        boolean isExpected = capacity == null
                || (expected.capacity() == capacity
                        && (rate == null || LimitWords.amount(expected).startsWith(rate.toString())));
        if (capacity == null || isExpected) {
            return LimitWords.amount(expected);
        }
        if (rate != null) {
            return usual.kind().number() == Parameter.CAPACITY
                    ? rate + ", capacity " + Math.max(0, capacity - 1)
                    : rate + ", burst " + capacity;
        }
        // An override has the same window as its limit.
        return LimitWords.amount(usual).replaceFirst("^[0-9]+", capacity.toString());
    }

    /** Returns the decision. A rule that denies comes first, followed by a rule that exempts. */
    ExplainedDecision decision() {
        for (Action action : List.of(Action.DENY, Action.EXEMPT)) {
            for (CompiledRule each : matching.values()) {
                if (each.rule().action() == action) {
                    String id = each.rule().id();
                    return action == Action.DENY
                            ? new ExplainedDecision(false, id, null, null, "rule " + id + " denies the request")
                            : new ExplainedDecision(
                                    true, id, null, null, "rule " + id + " exempts the request from all limits");
                }
            }
        }
        if (matching.values().stream()
                .noneMatch(
                        each -> !each.rule().shadow() && !each.rule().limits().isEmpty())) {
            return new ExplainedDecision(true, null, null, null, "no limit in force applies to the request");
        }
        if (!answered) {
            return new ExplainedDecision(
                    null, null, null, null, "limits apply, and no node told their counts; see the limits");
        }
        return degraded ? withoutStore() : byLimits();
    }

    private ExplainedDecision withoutStore() {
        String why = "the shared store of the node is unavailable, so the on_failure policies of the rules decide";
        return new ExplainedDecision(
                nodeAllows.orElse(null),
                null,
                null,
                null,
                nodeAllows
                        .map(allowed -> why + (allowed ? ", and allow the request" : ", and refuse the request"))
                        .orElse(why));
    }

    private ExplainedDecision byLimits() {
        Map<String, Object> first = null;
        Long wait = 0L;
        for (Map<String, Object> each : told.values()) {
            if (matching.containsKey(String.valueOf(each.get("rule")))
                    && !flag(each, "shadow").orElse(false)
                    && !flag(each, "would_allow").orElse(true)) {
                first = first == null ? each : first;
                Long own = number(each, "retry_after_ms");
                wait = wait == null || own == null ? null : (Long) Math.max(wait, own);
            }
        }
        if (first == null && !toldAll()) {
            return new ExplainedDecision(null, null, null, null, "a node did not tell all counts; see the limits");
        }
        if (first == null) {
            return new ExplainedDecision(true, null, null, null, "every limit that applies has something left");
        }
        String rule = String.valueOf(first.get("rule"));
        String limit = String.valueOf(first.get("id"));
        return new ExplainedDecision(
                false, rule, limit, wait, "limit " + limit + " of rule " + rule + " has nothing left");
    }

    /** Returns whether the node returned the counts of each limit that can refuse the request. */
    private boolean toldAll() {
        for (CompiledRule each : matching.values()) {
            Rule rule = each.rule();
            for (RuleLimit limit : rule.shadow() ? List.<RuleLimit>of() : rule.limits()) {
                CallerKey key = keys.key(limit.by(), limit.absent(), Privacy.PLAIN, request);
                Map<String, Object> known = told.getOrDefault(name(rule.id(), limit.id()), Map.of());
                if (!(key instanceof CallerKey.Skipped)
                        && flag(known, "would_allow").isEmpty()) {
                    return false;
                }
            }
        }
        return true;
    }

    private static Optional<Boolean> flag(Map<String, Object> fields, String name) {
        return fields.get(name) instanceof Boolean value ? Optional.of(value) : Optional.empty();
    }

    private static @Nullable Long number(Map<String, Object> fields, String name) {
        return fields.get(name) instanceof Long value ? value : null;
    }

    private static String name(String rule, String limit) {
        return rule + "\n" + limit;
    }
}
