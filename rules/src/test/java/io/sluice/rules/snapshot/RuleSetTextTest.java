package io.sluice.rules.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.rules.document.RuleDocument;
import org.junit.jupiter.api.Test;

class RuleSetTextTest {

    private static final RuleSet RULES =
            new RuleSet(7, ((RuleDocument.Accepted) RuleDocument.parse("test", """
            rules:
              - id: login
                name: "a text,{\\"id\\":\\"ghost\\",\\"limits\\":[{\\"rate\\":\\"1/s\\"}]}"
                limits: [{ rate: 5/s }]
              - id: log
                labels: { team: 登录 }
                limits: [{ rate: 6/s, by: ip }, { limit: 100, window: 1h }]
              - { id: login-2, action: deny, match: { path: /a } }
            """)).rules());

    private static String written() {
        StringBuilder text = new StringBuilder();
        RuleSetText.write(RULES, text::append);
        return text.toString();
    }

    @Test
    void oneRuleIsReadAsFromTheWholeSet() {
        String text = written();
        RULES.rules().forEach(rule -> assertThat(RuleSetText.rule(text, rule.id()))
                .isEqualTo(RULES.rule(rule.id()))
                .contains(rule));
    }

    @Test
    void whatIsNotTheIdOfARuleFindsNothing() {
        String text = written();
        for (String id : new String[] {"ghost", "lo", "", "login\",\"name\":\"a text", "LOGIN"}) {
            assertThat(RuleSetText.rule(text, id)).as(id).isEmpty();
        }
        StringBuilder none = new StringBuilder();
        RuleSetText.write(RuleSet.none(), none::append);
        assertThat(RuleSetText.rule(none.toString(), "login")).isEmpty();
    }

    @Test
    void aRuleThatCannotBeReadIsNotSkipped() {
        String damaged = written().replace("\"5/s\"", "\"five\"").replace("\"rate\":5", "\"rate\":\"five\"");
        assertThat(damaged).isNotEqualTo(written());
        assertThatThrownBy(() -> RuleSetText.rule(damaged, "login"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("login");
    }
}
