package io.sluice.rules.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.trial.Candidates.Answer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CandidatesTest {

    private static final String BEFORE = """
            rules:
              - { id: everything, limits: [{ rate: 1000 }] }
              - id: orders
                service: shop
                limits: [{ id: user, by: user, rate: 50 }, { by: tenant, limit: 100, window: 1m }]
            """;

    @Test
    void putsChangedLimitsBesideThoseInForce() {
        List<Rule> rules = made(BEFORE.replace("limit: 100", "limit: 10"));

        assertThat(rules).hasSize(2);
        assertThat(rules.get(1).limits()).isEqualTo(rules(BEFORE).rules().get(1).limits());
        assertThat(rules.get(1).candidate()).extracting(RuleLimit::id).containsExactly("orders.candidate-0");
        assertThat(rules.get(1).candidate().get(0).limit().capacity()).isEqualTo(10);
        assertThat(rules.get(1).candidate().get(0).limit().name())
                .isNotEqualTo(rules.get(1).limits().get(1).limit().name());
    }

    @Test
    void keepsTheIdOfALimit() {
        assertThat(made(BEFORE.replace("rate: 50", "rate: 5")).get(1).candidate())
                .extracting(RuleLimit::id)
                .containsExactly("orders.candidate-user");
    }

    @Test
    void putsANewRuleInShadow() {
        List<Rule> rules = made(BEFORE + "  - { id: new, limits: [{ rate: 1 }] }\n");

        assertThat(rules.get(2).id()).isEqualTo("new");
        assertThat(rules.get(2).shadow()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "'  - { id: everything, limits: [{ rate: 1000 }] }', '', 'everything: it is removed'",
        "'service: shop', 'service: store', 'orders: it applies to other requests'",
        "'service: shop', 'service: shop\n    name: Orders', 'orders: none of its limits'",
        "'  - id: orders', '  - { id: b, match: { ip: 203.0.113.9 }, action: deny }\n  - id: orders', 'b: it has no limits'"
    })
    void refusesWhatCannotBeACandidate(String old, String now, String why) {
        assertThat(answer(BEFORE.replace(old, now)))
                .isInstanceOfSatisfying(Answer.Impossible.class, answer -> assertThat(answer.why())
                        .startsWith("candidate: ")
                        .contains(why)
                        .contains("(expected: "));
    }

    @Test
    void refusesALimitWithOverrides() {
        String changed =
                BEFORE.replace("rate: 50", "rate: 5") + "    overrides: [{ when: { plan: vip }, of: user, rate: 9 }]\n";

        assertThat(((Answer.Impossible) answer(changed)).why()).contains("orders.user has overrides");
    }

    @Test
    void refusesTheSameRules() {
        assertThat(answer(BEFORE)).isInstanceOf(Answer.Impossible.class);
    }

    private static List<Rule> made(String changed) {
        return ((Answer.Made) answer(changed)).rules();
    }

    private static Answer answer(String changed) {
        return Candidates.of(rules(BEFORE), rules(changed));
    }

    private static RuleSet rules(String text) {
        RuleDocument document = RuleDocument.parse("rules.yaml", text);
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        return new RuleSet(1, ((RuleDocument.Accepted) document).rules());
    }
}
