package io.sluice.rules.review;

import io.sluice.rules.changes.LimitWords;
import io.sluice.rules.changes.Phrases;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.Scope;
import io.sluice.rules.review.CoveringScopes.Covering;
import io.sluice.rules.review.ReviewFinding.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Finds overrides that never act, because they have ended or because an earlier override covers them. */
final class OverrideReview {

    private final Instant now;
    private final Effort effort;

    OverrideReview(Instant now, Effort effort) {
        this.now = now;
        this.effort = effort;
    }

    List<ReviewFinding> of(Rule rule) {
        Map<Integer, List<LimitOverride>> byLimit = new TreeMap<>();
        for (LimitOverride override : rule.overrides()) {
            byLimit.computeIfAbsent(override.limit(), none -> new ArrayList<>()).add(override);
        }
        List<ReviewFinding> findings = new ArrayList<>();
        byLimit.values().forEach(overrides -> review(rule, overrides, findings));
        return findings;
    }

    /** Reviews the overrides of one limit, in their order. */
    private void review(Rule rule, List<LimitOverride> overrides, List<ReviewFinding> findings) {
        Map<Scope, List<Integer>> byWhen = new LinkedHashMap<>();
        for (int i = 0; i < overrides.size(); i++) {
            if (!hasEnded(overrides.get(i))) {
                byWhen.computeIfAbsent(scope(Scope.EVERYTHING, overrides.get(i)), none -> new ArrayList<>())
                        .add(i);
            }
        }
        CoveringScopes<List<Integer>> others = new CoveringScopes<>(byWhen, effort);
        for (int i = 0; i < overrides.size() && findings.size() < SetReview.MOST; i++) {
            LimitOverride override = overrides.get(i);
            if (hasEnded(override)) {
                findings.add(finding(
                        rule,
                        override,
                        "it ended at " + override.until().map(Instant::toString).orElse("")));
            } else {
                earlier(rule, overrides, i, others)
                        .ifPresent(earlier -> findings.add(finding(
                                rule,
                                override,
                                "the one for " + Phrases.when(earlier.when())
                                        + " comes first and applies to the same requests")));
            }
        }
    }

    /** Returns an earlier override that matches all requests that this override matches, and does not end before it. */
    private static Optional<LimitOverride> earlier(
            Rule rule, List<LimitOverride> overrides, int position, CoveringScopes<List<Integer>> others) {
        LimitOverride own = overrides.get(position);
        for (Covering<List<Integer>> covering : others.of(scope(rule.scope(), own))) {
            for (int other : covering.item()
                    .subList(0, Math.min(CoveringScopes.MOST, covering.item().size()))) {
                if (other < position && !endsBefore(overrides.get(other), own)) {
                    return Optional.of(overrides.get(other));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean endsBefore(LimitOverride one, LimitOverride other) {
        return one.until().isPresent()
                && (other.until().isEmpty()
                        || one.until().get().isBefore(other.until().get()));
    }

    private boolean hasEnded(LimitOverride override) {
        return override.until().filter(end -> !now.isBefore(end)).isPresent();
    }

    /** Returns the requests that the override applies to, as far as one scope can express them. */
    private static Scope scope(Scope ofRule, LimitOverride override) {
        Map<String, Condition> match = new LinkedHashMap<>(ofRule.match());
        match.putAll(override.when());
        return new Scope(ofRule.service(), ofRule.resource(), ofRule.methods(), match);
    }

    private static ReviewFinding finding(Rule rule, LimitOverride override, String why) {
        RuleLimit limit = rule.limits().get(override.limit());
        String named = LimitWords.named(rule.id(), limit, false);
        return new ReviewFinding(
                rule.id(),
                Optional.of(limit.id()),
                Kind.NEVER_ACTS,
                "the override of " + named + " for " + Phrases.when(override.when()) + " never acts, because " + why,
                Optional.empty());
    }
}
