package io.sluice.rules.review;

import io.sluice.rules.changes.LimitWords;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.model.Scope;
import io.sluice.rules.review.CoveringScopes.Covering;
import io.sluice.rules.review.ReviewFinding.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds limits that never refuse because another limit always refuses first, and limits that two rules have on the same
 * requests.
 */
final class LimitReview {

    private final List<Rule> rules;
    private final Instant now;
    private final Effort effort;
    private final CoveringScopes<Map<Counting, List<PlacedLimit>>> limits;

    LimitReview(List<Rule> rules, Instant now, Effort effort) {
        this.rules = rules;
        this.now = now;
        this.effort = effort;
        Map<Scope, Map<Counting, List<PlacedLimit>>> byScope = new LinkedHashMap<>();
        for (int i = 0; i < rules.size(); i++) {
            if (refuses(rules.get(i))) {
                Map<Counting, List<PlacedLimit>> same =
                        byScope.computeIfAbsent(rules.get(i).scope(), none -> new HashMap<>());
                for (PlacedLimit limit : placed(i)) {
                    same.computeIfAbsent(Counting.of(limit), none -> new ArrayList<>())
                            .add(limit);
                }
            }
        }
        Comparator<PlacedLimit> strictestFirst =
                Comparator.comparingLong(each -> each.limit().limit().capacity());
        byScope.values().forEach(same -> same.values().forEach(list -> list.sort(strictestFirst)));
        this.limits = new CoveringScopes<>(byScope, effort);
    }

    /** The callers and the decisions that a limit counts. Limits are compared if both are equal. */
    private record Counting(RuleUse use, List<By> by) {

        static Counting of(PlacedLimit limit) {
            return new Counting(limit.rule().use(), limit.limit().by());
        }
    }

    /** Returns the findings about the limits of the rule at this position, at most one for each limit. */
    List<ReviewFinding> of(int position) {
        Rule rule = rules.get(position);
        if (!refuses(rule)) {
            return List.of();
        }
        List<ReviewFinding> findings = new ArrayList<>();
        List<Covering<Map<Counting, List<PlacedLimit>>>> covering = limits.of(rule.scope());
        for (PlacedLimit limit : placed(position)) {
            first(limit, covering).ifPresent(findings::add);
        }
        return findings;
    }

    private Optional<ReviewFinding> first(
            PlacedLimit limit, List<Covering<Map<Counting, List<PlacedLimit>>>> covering) {
        Counting whole = new Counting(limit.rule().use(), List.of());
        int most = CoveringScopes.MOST;
        for (Covering<Map<Counting, List<PlacedLimit>>> each : covering) {
            List<PlacedLimit> others = new ArrayList<>(few(each.item().get(Counting.of(limit)), most));
            if (!limit.limit().by().isEmpty()) {
                others.addAll(few(each.item().get(whole), most - others.size()));
            }
            most -= others.size();
            for (PlacedLimit other : others) {
                effort.compared();
                Optional<ReviewFinding> finding = compare(limit, other, each.same());
                if (finding.isPresent()) {
                    return finding;
                }
            }
        }
        return Optional.empty();
    }

    private static List<PlacedLimit> few(@Nullable List<PlacedLimit> all, int most) {
        return all == null ? List.of() : all.subList(0, Math.min(most, all.size()));
    }

    private Optional<ReviewFinding> compare(PlacedLimit limit, PlacedLimit other, boolean same) {
        boolean ownRule = limit.position() == other.position();
        if (ownRule && limit.index() == other.index()) {
            return Optional.empty();
        }
        if (same && !ownRule && limit.isSameAs(other)) {
            return other.isBefore(limit) ? Optional.of(conflict(limit, other)) : Optional.empty();
        }
        boolean mutual = same && limit.hides(other, now);
        return other.hides(limit, now) && (!mutual || other.isBefore(limit))
                ? Optional.of(hidden(limit, other, ownRule))
                : Optional.empty();
    }

    private static ReviewFinding conflict(PlacedLimit limit, PlacedLimit other) {
        String numbers = LimitWords.amount(limit.limit().limit());
        String others = LimitWords.amount(other.limit().limit());
        String sentence = numbers.equals(others)
                ? limit.named() + " (" + numbers + ") is in " + other.rule().id()
                        + ", too: both apply to the same requests"
                : limit.named() + " (" + numbers + ") contradicts "
                        + other.rule().id() + " (" + others
                        + ") on the same requests: both apply, and the lower one decides";
        return new ReviewFinding(
                limit.rule().id(),
                Optional.of(limit.limit().id()),
                Kind.CONFLICT,
                sentence,
                Optional.of(other.rule().id()));
    }

    private static ReviewFinding hidden(PlacedLimit limit, PlacedLimit other, boolean ownRule) {
        String where = ownRule ? "" : " of " + other.rule().id();
        String sentence = limit.named() + " (" + LimitWords.amount(limit.limit().limit())
                + ") never refuses a request alone: whenever it would, " + other.named() + " ("
                + LimitWords.amount(other.limit().limit()) + ")" + where + " refuses it, too";
        return new ReviewFinding(
                limit.rule().id(),
                Optional.of(limit.limit().id()),
                Kind.NEVER_REFUSES,
                sentence,
                ownRule ? Optional.empty() : Optional.of(other.rule().id()));
    }

    private List<PlacedLimit> placed(int position) {
        Rule rule = rules.get(position);
        List<PlacedLimit> placed = new ArrayList<>();
        for (int i = 0; i < rule.limits().size(); i++) {
            placed.add(new PlacedLimit(rule, position, rule.limits().get(i), i));
        }
        return placed;
    }

    private static boolean refuses(Rule rule) {
        return rule.action() == Action.LIMIT && !rule.shadow() && !rule.countsAnswers();
    }
}
