package io.sluice.rules.review;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Counts comparisons, because time depends on the machine. */
class ReviewEffortTest {

    private static final int RULES = 10_000;

    @Test
    void rulesWithTheirOwnRequestsAreComparedWithFewOthers() {
        assertThat(comparisons(
                        i -> new Scope("s" + i % 100, PathPattern.of("/api/r" + i + "/{id}"), Set.of(), Map.of())))
                .isLessThan(RULES * 4L);
    }

    @Test
    void addressesAndNetworksAreComparedWithFewOthers() {
        assertThat(comparisons(i -> match("ip", i % 2 == 0 ? "10." + i % 200 + ".0.0/16" : "10.3." + i % 250 + ".7")))
                .isLessThan(RULES * 10L);
    }

    @Test
    void manyRulesOnTheSameRequestsAreComparedWithABoundedNumber() {
        assertThat(comparisons(i -> Scope.EVERYTHING)).isLessThanOrEqualTo(RULES * 2L * (CoveringScopes.MOST + 1));
    }

    @Test
    void listsThatShareAValueAreComparedWithFewOthers() {
        assertThat(comparisons(i -> match("user", "shared", "u-" + i))).isLessThan(RULES * 4L);
    }

    @Test
    void manyScopesThatOverlapAreComparedWithABoundedNumber() {
        assertThat(comparisons(i -> match("user", "u-" + i % 100, "u-" + i / 100)))
                .isLessThanOrEqualTo(RULES * 3L * (CoveringScopes.MOST + 1));
    }

    private static long comparisons(IntFunction<Scope> scopes) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < RULES; i++) {
            rules.add(rule("r" + i, scopes.apply(i), i % 5 == 0 ? Action.EXEMPT : Action.LIMIT, i));
        }
        SetReview review = new SetReview(new RuleSet(1, rules), Instant.EPOCH);
        assertThat(review.findings()).hasSizeLessThanOrEqualTo(SetReview.MOST);
        return review.comparisons();
    }

    private static Scope match(String attribute, String... values) {
        return new Scope(null, null, Set.of(), Map.of(attribute, Condition.parse(attribute, List.of(values))));
    }

    private static Rule rule(String id, Scope scope, Action action, int number) {
        Limit limit = Limit.named(id).slidingWindow(5, Duration.ofSeconds(1 + number % 500));
        List<RuleLimit> limits = action == Action.LIMIT
                ? List.of(
                        new RuleLimit(id + ".0", limit, List.of(By.attribute("user")), AbsentPolicy.IP, Privacy.PLAIN))
                : List.of();
        return new Rule(
                id,
                true,
                action,
                scope,
                false,
                limits,
                List.of(),
                List.of(),
                Handling.DEFAULT,
                RuleDescription.NOTHING);
    }
}
