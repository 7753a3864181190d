package io.sluice.rules.review;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.EarlyRuling;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.review.ReviewFinding.Kind;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What the review says is compared with what the evaluator does. If a rule, a limit or an override is said to have no effect,
 * every decision is the same without it.
 */
class ReviewSoundnessTest {

    private static final int SETS = 1_000;
    private static final int REQUESTS = 60;

    private final SeededRandom random = SeededRandom.of("ReviewSoundnessTest");
    private final SmallRules generator = new SmallRules(random);

    @Test
    void withoutARuleThatNeverActsEveryDecisionIsTheSame() {
        int found = 0;
        for (int i = 0; i < SETS; i++) {
            RuleSet set = generator.set();
            for (ReviewFinding finding : SetReview.of(set, SmallRules.NOW)) {
                if (finding.limit().isEmpty()) {
                    found++;
                    compare(set, without(set, finding.rule()), finding.rule(), finding);
                }
            }
        }
        assertThat(found).as("rules that never act").isPositive();
    }

    @Test
    void withoutALimitThatNeverRefusesEveryDecisionIsTheSame() {
        int found = 0;
        for (int i = 0; i < SETS; i++) {
            RuleSet set = generator.set();
            for (ReviewFinding finding : SetReview.of(set, SmallRules.NOW)) {
                if (finding.kind() == Kind.NEVER_REFUSES) {
                    found++;
                    compare(set, withoutLimit(set, finding), finding.rule(), finding);
                }
            }
        }
        assertThat(found).as("limits that never refuse").isPositive();
    }

    @Test
    void withoutAnOverrideThatNeverActsEveryDecisionIsTheSame() {
        int found = 0;
        OverrideReview review = new OverrideReview(SmallRules.NOW, new Effort());
        for (int i = 0; i < SETS; i++) {
            RuleSet set = generator.set();
            for (Rule rule : set.rules()) {
                for (int o = 0; o < rule.overrides().size(); o++) {
                    // Later overrides do not matter to earlier ones.
                    int before = review.of(withOverrides(rule, rule.overrides().subList(0, o)))
                            .size();
                    List<ReviewFinding> now =
                            review.of(withOverrides(rule, rule.overrides().subList(0, o + 1)));
                    if (now.size() > before) {
                        found++;
                        List<LimitOverride> rest = new ArrayList<>(rule.overrides());
                        rest.remove(o);
                        compare(set, with(set, withOverrides(rule, rest)), rule.id(), now);
                    }
                }
            }
        }
        assertThat(found).as("overrides that never act").isPositive();
    }

    private void compare(RuleSet set, RuleSet other, String id, Object finding) {
        Rule rule = set.rule(id).orElseThrow();
        ManualClock clock = QuietClock.at(SmallRules.NOW.getEpochSecond() * 1_000_000);
        Evaluator one = evaluator(set, clock);
        Evaluator two = evaluator(other, clock);
        List<String> asked = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            clock.advance(Duration.ofMillis(random.nextInt(4) == 0 ? random.nextInt(1_500) : random.nextInt(20)));
            Map<String, String> attributes = generator.request(rule);
            Attributes request = Attributes.of(attributes);
            long permits = random.nextInt(3) == 0 ? 2 : 1;
            boolean early = random.nextBoolean();
            asked.add(attributes + (early ? " early" : ""));
            boolean expected = passes(one, request, attributes, permits, early);
            if (passes(two, request, attributes, permits, early) != expected) {
                fail("%s%n%s%n%s", finding, set.rules(), asked);
            }
        }
    }

    private static Evaluator evaluator(RuleSet set, ManualClock clock) {
        return new Evaluator(
                () -> set,
                new Limiter(new LocalEngine(clock), clock, List.of()),
                null,
                KeySettings.ofThisProcess(),
                clock,
                (ruling, nanos) -> {});
    }

    private static boolean passes(
            Evaluator evaluator, Attributes request, Map<String, String> attributes, long permits, boolean early) {
        if (!early) {
            return passes(
                    evaluator.evaluate(request, permits).toCompletableFuture().join());
        }
        Map<String, String> known = new HashMap<>(attributes);
        known.keySet().retainAll(List.of("ip", "path", "method"));
        EarlyRuling ruling = evaluator
                .evaluateEarly(Attributes.of(known))
                .toCompletableFuture()
                .join();
        if (!ruling.ruling().map(ReviewSoundnessTest::passes).orElse(true)) {
            return false;
        }
        boolean passes = passes(evaluator
                .evaluateAfterEarly(request, permits)
                .toCompletableFuture()
                .join());
        evaluator.answered(ruling, 401).toCompletableFuture().join();
        return passes;
    }

    private static boolean passes(Ruling ruling) {
        return ruling instanceof Ruling.Settled settled && settled.allowed();
    }

    private static RuleSet without(RuleSet set, String id) {
        return new RuleSet(
                1, set.rules().stream().filter(rule -> !rule.id().equals(id)).toList());
    }

    private static RuleSet with(RuleSet set, Rule changed) {
        return new RuleSet(
                1,
                set.rules().stream()
                        .map(rule -> rule.id().equals(changed.id()) ? changed : rule)
                        .toList());
    }

    private static RuleSet withoutLimit(RuleSet set, ReviewFinding finding) {
        Rule rule = set.rule(finding.rule()).orElseThrow();
        if (rule.limits().size() == 1) {
            return without(set, rule.id());
        }
        List<RuleLimit> rest = new ArrayList<>();
        List<LimitOverride> overrides = new ArrayList<>();
        for (int i = 0; i < rule.limits().size(); i++) {
            if (!rule.limits().get(i).id().equals(finding.limit().orElseThrow())) {
                for (LimitOverride override : rule.overrides()) {
                    if (override.limit() == i) {
                        overrides.add(
                                new LimitOverride(override.when(), rest.size(), override.numbers(), override.until()));
                    }
                }
                rest.add(rule.limits().get(i));
            }
        }
        return with(set, SmallRules.rule(rule, rest, overrides));
    }

    private static Rule withOverrides(Rule rule, List<LimitOverride> overrides) {
        return SmallRules.rule(rule, rule.limits(), overrides);
    }
}
