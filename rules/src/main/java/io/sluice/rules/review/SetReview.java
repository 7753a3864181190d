package io.sluice.rules.review;

import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reviews a whole rule set for legal content that is probably not intended: rules and overrides that never act, limits that
 * never refuse, and rules that contradict each other.
 *
 * <p>A finding is reported only if it can be proved from the rules alone. The review covers requests that are matched by their
 * attributes. It leaves out disabled rules, rules {@code for: code} and rules of other protocols, because such rules apply
 * where code or a protocol names them.
 *
 * <p>The time grows with the number of rules, not with the number of pairs: see {@link CoveringScopes}.
 */
public final class SetReview {

    /** The maximum number of findings that are returned. */
    public static final int MOST = 1_000;

    private final List<Rule> rules;
    private final VerdictReview verdicts;
    private final LimitReview limits;
    private final OverrideReview overrides;
    private final Effort effort = new Effort();

    SetReview(RuleSet set, Instant now) {
        this.rules = set.rules().stream().filter(SetReview::isReviewed).toList();
        this.verdicts = new VerdictReview(rules, effort);
        this.limits = new LimitReview(rules, now, effort);
        this.overrides = new OverrideReview(now, effort);
    }

    /**
     * Returns the findings in the order of the rules, at most {@link #MOST}.
     *
     * @param now the present time, which determines the overrides that have ended
     */
    public static List<ReviewFinding> of(RuleSet set, Instant now) {
        return new SetReview(set, now).findings();
    }

    List<ReviewFinding> findings() {
        List<ReviewFinding> findings = new ArrayList<>();
        for (int i = 0; i < rules.size() && findings.size() < MOST; i++) {
            Optional<ReviewFinding> verdict = verdicts.of(i);
            verdict.ifPresent(findings::add);
            if (verdict.isEmpty()) {
                findings.addAll(limits.of(i));
                findings.addAll(overrides.of(rules.get(i)));
            }
        }
        return List.copyOf(findings.subList(0, Math.min(MOST, findings.size())));
    }

    /** Returns the number of comparisons that the review took. */
    long comparisons() {
        return effort.comparisons();
    }

    private static boolean isReviewed(Rule rule) {
        return rule.enabled() && rule.use() != RuleUse.CODE && rule.protocol().isEmpty();
    }
}
