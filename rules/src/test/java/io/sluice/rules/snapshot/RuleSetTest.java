package io.sluice.rules.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    void theBodyIsReadForTheCost() {
        RuleSet rules = parsed("""
                rules:
                  - { id: a, resource: /a, limits: [{ rate: 9, cost: { reserve: json.max_tokens, default: 1 } }] }
                  - { id: b, resource: /b, limits: [{ rate: 9, cost: { reserve: json.n, default: 1 }, unread: absent }] }
                  - { id: c, limits: [{ rate: 9, cost: { reserve: header.X-Cost, default: 1, settle: answer.json.x } }] }
                """);

        assertThat(fields(rules, Map.of("path", "/a"))).containsExactly("json.max_tokens");
        assertThat(rules.requiredFields(Attributes.of(Map.of("path", "/a")))).containsExactly("json.max_tokens");
        assertThat(fields(rules, Map.of("path", "/b"))).containsExactly("json.n");
        assertThat(rules.requiredFields(Attributes.of(Map.of("path", "/b")))).isEmpty();
        assertThat(rules.headerFields()).containsExactly("header.x-cost");
        assertThat(rules.bodyFields()).containsExactlyInAnyOrder("json.max_tokens", "json.n");
    }

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

        assertThat(fields(rules, Map.of("path", "/other"))).isEmpty();
        assertThat(fields(rules, Map.of("path", "/login", "method", "GET"))).containsExactly("json.user");
        assertThat(fields(rules, Map.of("path", "/login", "method", "POST")))
                .containsExactlyInAnyOrder("json.user", "form.user");
        assertThat(fields(rules, Map.of("path", "/login", "service", "shop", "user", "u")))
                .containsExactlyInAnyOrder("json.user", "json.kind");
        assertThat(fields(rules, Map.of("path", "/other", "service", "shop", "user", "v")))
                .isEmpty();
        assertThat(rules.headerFields()).containsExactly("header.x-phone");
    }

    @Test
    void bodyFieldsMustBeReadableIfALimitOrADenialNeedsThem() {
        RuleSet rules = parsed("""
                rules:
                  - id: login
                    resource: /login
                    match: { json.kind: gold }
                    limits:
                      - { id: strict, by: [{ attribute: json.user, otherwise: json.mail }], rate: 1 }
                      - { id: lax, by: json.lax, rate: 1, unread: absent }
                    candidate: [{ by: json.candidate, rate: 1 }]
                    overrides:
                      - { when: { json.plan: vip }, of: strict, rate: 2 }
                      - { when: { json.lax-plan: vip }, of: lax, rate: 2 }
                  - { id: lax, resource: /lax, match: { json.kind: gold }, limits: [{ by: form.lax, rate: 1, unread: absent }] }
                  - { id: shadow, resource: /shadow, shadow: true, limits: [{ by: json.user, rate: 1 }] }
                  - { id: free, resource: /free, match: { json.key: k }, action: exempt }
                  - { id: denied, resource: /denied, match: { form.user: u, user: v }, action: deny }
                  - { id: office, match: { ip: 10.0.0.0/8 }, action: exempt }
                """);

        assertThat(required(rules, Map.of("path", "/login")))
                .containsExactlyInAnyOrder("json.kind", "json.user", "json.mail", "json.plan");
        for (String path : List.of("/lax", "/shadow", "/free", "/other")) {
            assertThat(required(rules, Map.of("path", path))).as(path).isEmpty();
        }
        assertThat(required(rules, Map.of("path", "/denied", "user", "v"))).containsExactly("form.user");
        assertThat(required(rules, Map.of("path", "/denied", "user", "w"))).isEmpty();
        assertThat(required(rules, Map.of("path", "/login", "ip", "10.1.2.3")))
                .as("exempt from all limits")
                .isEmpty();
        assertThat(required(rules, Map.of("path", "/denied", "user", "v", "ip", "10.1.2.3")))
                .as("denials come before exemptions")
                .containsExactly("form.user");
    }

    private static Set<String> required(RuleSet rules, Map<String, String> known) {
        return rules.requiredFields(Attributes.of(known));
    }

    private static Set<String> fields(RuleSet rules, Map<String, String> known) {
        return rules.bodyFields(Attributes.of(known));
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
