package io.sluice.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.RuleDocument.Accepted;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RuleSetTest {

    private final RuleSet set = new RuleSet(1, ((Accepted) RuleDocument.parse("rules.yaml", """
            rules:
              - { id: all, limits: [{ rate: 1 }] }
              - { id: office, match: { ip: 10.0.0.0/8 }, action: exempt }
              - { id: off, enabled: false, action: deny }
              - { id: banned, match: { user: [eve, "m*"] }, action: deny }
              - { id: banned-too, match: { user: mallory }, action: deny }
              - { id: users, resource: "/users/{id}", methods: [GET], limits: [{ rate: 1 }] }
            """)).rules());

    @Test
    void findsEveryEnabledRuleInDocumentOrder() {
        assertThat(ids(set.matching(request("10.1.2.3", "mallory"))))
                .containsExactly("all", "office", "banned", "banned-too", "users");
        assertThat(ids(set.matching(request("11.1.2.3", "alice")))).containsExactly("all", "users");
    }

    @Test
    void findsRulesByWhatTheyDo() {
        Attributes mallory = request("10.1.2.3", "mallory");

        assertThat(ids(set.matching(Action.DENY, mallory))).containsExactly("banned", "banned-too");
        assertThat(ids(set.matching(Action.EXEMPT, mallory))).containsExactly("office");
        assertThat(set.matching(Action.DENY, request("10.1.2.3", "alice"))).isEmpty();
        assertThat(ids(set.matching(Action.LIMIT, mallory))).containsExactly("all", "users");
    }

    private static Attributes request(String ip, String user) {
        return Attributes.of(Map.of("ip", ip, "user", user, "path", "/users/7", "method", "get"));
    }

    private static List<String> ids(List<Rule> rules) {
        return rules.stream().map(Rule::id).toList();
    }
}
