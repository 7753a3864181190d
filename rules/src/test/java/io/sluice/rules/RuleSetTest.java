package io.sluice.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.RuleDocument.Accepted;
import java.nio.charset.StandardCharsets;
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

    @Test
    void rulesForGetAreForHeadToo() {
        RuleSet both = parsed("""
                rules:
                  - { id: get, methods: [GET], limits: [{ rate: 1 }] }
                  - { id: head, methods: [HEAD], limits: [{ rate: 1 }] }
                  - { id: post, methods: [POST], limits: [{ rate: 1 }] }
                  - { id: match-get, match: { method: get }, limits: [{ rate: 1 }] }
                """);

        assertThat(ids(both.matching(Attributes.of(Map.of("method", "HEAD")))))
                .containsExactly("get", "head", "match-get");
        assertThat(ids(both.matching(Attributes.of(Map.of("method", "GET"))))).containsExactly("get", "match-get");
        for (Rule rule : both.rules()) {
            boolean expected = !rule.id().equals("post");
            assertThat(rule.scope().matches(Attributes.of(Map.of("method", "head"))))
                    .as(rule.id())
                    .isEqualTo(expected);
        }
    }

    @Test
    void bodiesAreReadOnlyForRulesThatTheRestOfTheRequestMayMatch() {
        RuleSet rules = parsed("""
                rules:
                  - { id: login, resource: /login, limits: [{ by: json.user, rate: 1 }] }
                  - { id: login-too, resource: /login, methods: [POST], limits: [{ by: form.user, rate: 1 }] }
                  - { id: kinds, service: shop, match: { json.kind: gold, user: u }, limits: [{ rate: 1 }] }
                  - { id: off, enabled: false, limits: [{ by: json.off, rate: 1 }] }
                  - { id: all, limits: [{ by: header.X-Phone, rate: 1 }] }
                """);

        assertThat(rules.bodyFields(Attributes.of(Map.of("path", "/other"))).isEmpty())
                .isTrue();
        assertThat(found(rules, Map.of("path", "/login", "method", "GET"))).containsOnlyKeys("json.user");
        assertThat(found(rules, Map.of("path", "/login", "method", "POST"))).containsOnlyKeys("json.user");
        assertThat(found(rules, Map.of("path", "/login", "service", "shop", "user", "u")))
                .containsOnlyKeys("json.user", "json.kind");
        assertThat(rules.bodyFields(Attributes.of(Map.of("path", "/other", "service", "shop", "user", "v")))
                        .isEmpty())
                .isTrue();
        assertThat(rules.headerFields()).containsExactly("header.x-phone");
    }

    private static Map<String, String> found(RuleSet rules, Map<String, String> known) {
        byte[] body = "{\"user\": \"a\", \"kind\": \"gold\", \"off\": 1}".getBytes(StandardCharsets.UTF_8);
        return ((BodyFields.Found) rules.bodyFields(Attributes.of(known)).read("application/json", null, body))
                .attributes();
    }

    private static RuleSet parsed(String text) {
        return new RuleSet(1, ((Accepted) RuleDocument.parse("rules.yaml", text)).rules());
    }

    private static Attributes request(String ip, String user) {
        return Attributes.of(Map.of("ip", ip, "user", user, "path", "/users/7", "method", "get"));
    }

    private static List<String> ids(List<Rule> rules) {
        return rules.stream().map(Rule::id).toList();
    }
}
