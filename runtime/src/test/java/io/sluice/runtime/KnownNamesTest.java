package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import java.util.Set;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

class KnownNamesTest {

    private static final String LIMITS = "limits: [{ limit: 1, window: 1m }]";

    @Test
    void knowsTheRulesLimitsAndCandidatesOfTheSetInForce() {
        KnownNames names = new KnownNames((set, known) -> {}, false);

        BiPredicate<String, String> known =
                names.in(set(1, "id: a, " + LIMITS + ", candidate: " + LIMITS.substring(8)));

        assertThat(known.test("a", "a.0")).isTrue();
        assertThat(known.test("a", "")).isTrue();
        assertThat(known.test("", "")).isTrue();
        assertThat(known.test("b", "")).isFalse();
        assertThat(known.test("a", "b.0")).isFalse();
        assertThat(known.test("b", "a.0")).isFalse();
    }

    @Test
    void knowsTheNamesThatASetUsesBeyondItsRules() {
        KnownNames names = new KnownNames((set, known) -> known.add(Set.of("more"), Set.of("more.0")), false);

        BiPredicate<String, String> known = names.in(set(1, "id: a, " + LIMITS));

        assertThat(known.test("more", "more.0")).isTrue();
        assertThat(known.test("a", "more.0")).isTrue();
        assertThat(known.test("less", "less.0")).isFalse();
    }

    @Test
    void knowsNamesInCodeButNotThoseOfEarlierSets() {
        KnownNames names = new KnownNames((set, known) -> {}, true);
        BiPredicate<String, String> first = names.in(set(1, "id: a, " + LIMITS));
        BiPredicate<String, String> second = names.in(set(2, "id: b, " + LIMITS));

        assertThat(first.test("a", "a.0")).isTrue();
        assertThat(first.test("code", "code.0")).isTrue();
        assertThat(second.test("a", "a.0")).isFalse();
        assertThat(second.test("b", "b.0")).isTrue();
        assertThat(second.test("code", "code.0")).isTrue();
    }

    @Test
    void aNameOfAnEarlierSetIsKnownAgainWhenItReturns() {
        KnownNames names = new KnownNames((set, known) -> {}, true);
        names.in(set(0, "id: a, " + LIMITS));
        for (int version = 1; version <= 100; version++) {
            boolean even = version % 2 == 0;
            BiPredicate<String, String> known = names.in(set(version, "id: " + (even ? "a, " : "b, ") + LIMITS));

            assertThat(known.test("a", "a.0")).isEqualTo(even);
            assertThat(known.test("b", "b.0")).isEqualTo(!even);
        }
    }

    @Test
    void knowsTheNamesThatOnlyTheVersionOnTrialHas() {
        KnownNames names = new KnownNames((set, known) -> {}, true);
        RuleSet main = set(1, "id: a, " + LIMITS);
        RuleSet tried = set(2, "id: b, " + LIMITS);
        BiPredicate<String, String> during =
                names.in(main.trying(new CallerTrial(tried, CallerSplit.share("user", "0".repeat(16), 5))));
        assertThat(during.test("a", "a.0")).isTrue();
        assertThat(during.test("b", "b.0")).isTrue();
        BiPredicate<String, String> after = names.in(set(1, "id: a, " + LIMITS));
        assertThat(after.test("a", "a.0")).isTrue();
        assertThat(after.test("b", "b.0")).isFalse();
    }

    @Test
    void adjustmentsForgetNoEarlierNames() {
        KnownNames names = new KnownNames((set, known) -> {}, true);
        names.in(set(1, "id: a, " + LIMITS));
        for (int i = 0; i < 100; i++) {
            assertThat(names.in(set(2, "id: b, " + LIMITS)).test("a", "a.0")).isFalse();
        }
    }

    private static RuleSet set(long version, String rule) {
        RuleDocument document = RuleDocument.parse("t", "rules: [{ " + rule + " }]");
        return new RuleSet(version, ((RuleDocument.Accepted) document).rules());
    }
}
