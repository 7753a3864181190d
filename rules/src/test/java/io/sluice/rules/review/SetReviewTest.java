package io.sluice.rules.review;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.review.ReviewFinding.Kind;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SetReviewTest {

    private static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");

    @Test
    void aRuleWhoseRequestsAreAllDeniedOrExemptedNeverActs() {
        assertThat(findings("""
                - { id: office, match: { ip: 10.0.0.0/8 }, action: exempt }
                - { id: banned, match: { ip: [10.9.0.0/16, 198.51.100.0/24] }, action: deny }
                - { id: printer, match: { ip: 10.1.2.3 }, limits: [{ rate: 5/s }] }
                - { id: guest, match: { ip: 10.9.9.9 }, limits: [{ rate: 5/s }], shadow: true }
                - { id: friend, match: { ip: 198.51.100.7 }, action: exempt }
                """))
                .containsExactly(
                        "printer: never acts on requests, because office exempts all that it matches",
                        "guest: never acts on requests, because banned denies all that it matches",
                        "friend: never acts on requests, because banned denies all that it matches");
    }

    @Test
    void aFindingNamesItsKindAndBothRules() {
        List<ReviewFinding> findings = review("""
                - { id: all, action: deny }
                - { id: a, service: shop, limits: [{ rate: 5/s }] }
                """);

        assertThat(findings)
                .containsExactly(new ReviewFinding(
                        "a",
                        Optional.empty(),
                        Kind.NEVER_ACTS,
                        "never acts on requests, because all denies all that it matches",
                        Optional.of("all")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // It matches requests that the other rule does not.
                "match: { ip: 10.0.0.0/7 }",
                "match: { ip: [10.0.0.1, 192.0.2.1] }",
                "service: shop",
                // It is looked at elsewhere, or not at all.
                "match: { ip: 10.0.0.1 }, for: code",
                "match: { ip: 10.0.0.1 }, enabled: false",
            })
    void aRuleThatMayActIsNoFinding(String rule) {
        assertThat(findings("""
                - { id: office, match: { ip: 10.0.0.0/8 }, action: exempt }
                - { id: a, %s, limits: [{ rate: 5/s }] }
                """.formatted(rule))).isEmpty();
    }

    @Test
    void limitsWithAnotherCostHideNothing() {
        assertThat(findings("""
                - id: a
                  limits:
                    - { id: requests, limit: 5, window: 1m }
                    - { id: tokens, limit: 10, window: 1m, cost: { reserve: json.n, default: 2 } }
                    - { id: reported, limit: 5, window: 1m, cost: { charge: always } }
                    - { id: reported-more, limit: 10, window: 1m, cost: { charge: always } }
                """)).isEmpty();
        assertThat(findings("""
                - id: a
                  limits:
                    - { id: x, limit: 10, window: 1m, cost: { reserve: json.n, default: 2 } }
                    - { id: y, limit: 20, window: 1m, cost: { reserve: json.n, default: 2 } }
                """))
                .containsExactly("a: limit y (20 per 1m) never refuses a request alone: whenever it would, limit x (10"
                        + " per 1m) refuses it, too");
    }

    @Test
    void rulesThatAreDisabledOrForCodeHideNothing() {
        assertThat(findings("""
                - { id: off, action: deny, enabled: false }
                - { id: named, action: deny, for: code }
                - { id: strict, limits: [{ limit: 1, window: 1m }], enabled: false }
                - { id: trial, limits: [{ limit: 1, window: 1m }], shadow: true }
                - { id: called, limits: [{ limit: 1, window: 1m }], for: code }
                - { id: a, limits: [{ limit: 5, window: 1m }] }
                """)).isEmpty();
    }

    @Test
    void anEarlyRuleIsOnlyHiddenByRulesThatActEarly() {
        assertThat(findings("""
                - { id: shop, match: { user: "*", ip: 10.0.0.0/8 }, action: exempt }
                - { id: ours, match: { ip: 10.0.0.0/8 }, action: exempt }
                - id: logins
                  for: early
                  match: { ip: 10.0.0.0/16, answer.status: "401" }
                  limits: [{ by: ip, limit: 5, window: 1m }]
                - { id: others, for: early, match: { ip: 11.0.0.0/16 }, limits: [{ by: ip, limit: 5, window: 1m }] }
                """))
                .containsExactly("logins: never acts on requests, because ours exempts all that it matches");
    }

    @Test
    void anUnreadableBodyIsRefusedByALimitButNotExempted() {
        assertThat(findings("""
                - { id: robots, match: { json.agent: "bot*" }, action: exempt }
                - { id: a, match: { json.agent: bot-1 }, limits: [{ rate: 5/s }] }
                """)).isEmpty();
    }

    @Test
    void ofTwoRulesWithOneActionTheWiderOneMakesTheLaterOneUseless() {
        assertThat(findings("""
                - { id: first, match: { ip: 10.1.0.0/16 }, action: deny }
                - { id: wide, match: { ip: 10.0.0.0/8 }, action: deny }
                - { id: last, match: { ip: 10.2.0.0/16 }, action: deny }
                - { id: again, match: { ip: 10.0.0.0/8 }, action: deny }
                """))
                .as("the first one has its own message")
                .containsExactly(
                        "last: never acts on requests, because wide denies all that it matches",
                        "again: does the same as wide, which denies the same requests");
    }

    @Test
    void oppositeActionsOnTheSameRequestsAreAConflict() {
        List<ReviewFinding> findings = review("""
                - { id: open, resource: "/users/{id}", action: exempt }
                - { id: shut, resource: "/users/{name}", action: deny }
                - { id: free, service: shop, action: exempt }
                - { id: paid, service: shop, limits: [{ rate: 5/s }] }
                """);

        assertThat(findings).extracting(ReviewFinding::kind).containsOnly(Kind.CONFLICT);
        assertThat(findings)
                .extracting(ReviewFinding::toString)
                .containsExactly(
                        "open: contradicts shut, which denies the same requests; deny comes before exempt, so this rule"
                                + " never acts on requests",
                        "paid: contradicts free, which exempts the same requests; exempt comes before limit, so this"
                                + " rule never acts on requests");
    }

    @Test
    void limitsThatTwoRulesHaveOnTheSameRequestsAreAConflict() {
        assertThat(findings("""
                - { id: a, service: shop, limits: [{ by: ip, limit: 5, window: 1m }] }
                - { id: b, service: shop, limits: [{ by: ip, limit: 9, window: 1m }] }
                - { id: c, service: shop, limits: [{ by: ip, limit: 5, window: 1m }] }
                - id: d
                  service: shop
                  limits: [{ by: user, limit: 5, window: 1m }, { by: ip, limit: 5, window: 1h }]
                """))
                .containsExactly(
                        "b: limit by ip (9 per 1m) contradicts a (5 per 1m) on the same requests: both apply, and the"
                                + " lower one decides",
                        "c: limit by ip (5 per 1m) is in a, too: both apply to the same requests");
    }

    @Test
    void aLimitThatAnotherOneAlwaysRefusesWithNeverRefusesAlone() {
        List<ReviewFinding> findings = review("""
                - { id: everything, limits: [{ limit: 100, window: 1m }, { by: user, rate: 10/s, burst: 20 }] }
                - id: orders
                  resource: /api/orders/**
                  limits:
                    - { id: all, limit: 200, window: 1m }
                    - { id: per-user, by: user, rate: 10/s, burst: 30 }
                    - { id: per-tenant, by: tenant, limit: 150, window: 1m }
                    - { id: quick, by: user, rate: 20/s, burst: 10 }
                    - { id: small, limit: 50, window: 1m }
                """);

        assertThat(findings).extracting(ReviewFinding::kind).containsOnly(Kind.NEVER_REFUSES);
        assertThat(findings)
                .extracting(finding -> finding.limit().orElseThrow())
                .containsExactly("orders.all", "orders.per-user", "orders.per-tenant");
        assertThat(findings.get(1))
                .hasToString("orders: limit per-user (10/s, burst 30) never refuses a request alone: whenever it would,"
                        + " limit by user (10/s, burst 20) of everything refuses it, too");
    }

    @Test
    void aLimitCanHideAnotherOfItsOwnRule() {
        assertThat(findings("""
                - id: sms
                  limits:
                    - { by: header.x-phone, algorithm: sliding_log, limit: 10, window: 1m }
                    - { by: header.x-phone, algorithm: sliding_log, limit: 5, window: 1h }
                """))
                .containsExactly("sms: limit by header.x-phone (10 per 1m) never refuses a request alone: whenever it"
                        + " would, limit by header.x-phone (5 per 1h) refuses it, too");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "resource: /a, limits: [{ by: ip, limit: 9, window: 2m }]",
                "resource: /a, limits: [{ by: ip, limit: 4, window: 1m }]",
                "resource: /a, limits: [{ by: user, limit: 9, window: 1m }]",
                "resource: /a, limits: [{ by: ip, algorithm: fixed_window, limit: 9, window: 1m }]",
                "resource: /a, limits: [{ by: ip, absent: refuse, limit: 9, window: 1m }]",
                "resource: /a, limits: [{ by: ip, limit: 9, window: 1m }], mode: local",
                "resource: /a, limits: [{ by: ip, limit: 9, window: 1m }], on_failure: closed",
                "resource: /a, limits: [{ by: ip, limit: 9, window: 1m }], guard: 1.2",
                "match: { json.a: x }, limits: [{ by: ip, limit: 9, window: 1m }]",
                "limits: [{ by: ip, limit: 9, window: 1m }], service: a, overrides: [{ when: { plan: x }, limit: 1 }]",
                "resource: /a, limits: [{ by: ip, limit: 9, window: 1m }], shadow: true",
                "resource: /a, limits: [{ by: ip, limit: 9, window: 1m }], for: early",
            })
    void aLimitThatMayRefuseAloneIsNoFinding(String rule) {
        assertThat(findings("""
                - { id: strict, limits: [{ by: ip, limit: 5, window: 1m }] }
                - { id: a, %s }
                """.formatted(rule))).isEmpty();
    }

    @Test
    void aStricterLimitWithOverridesHidesNothing() {
        assertThat(findings("""
                - id: strict
                  limits: [{ by: ip, limit: 5, window: 1m }]
                  overrides: [{ when: { plan: vip }, limit: 50 }]
                - { id: a, resource: /a, limits: [{ by: ip, limit: 9, window: 1m }] }
                """)).isEmpty();
    }

    @Test
    void anOverrideThatHasEndedNeverActs() {
        String rules = """
                - id: a
                  limits: [{ by: user, limit: 5, window: 1m }]
                  overrides:
                    - { when: { user: u-1 }, limit: 50, until: 2026-05-31T00:00:00Z }
                    - { when: { user: u-2 }, limit: 50, until: 2026-06-01T00:00:01Z }
                """;
        String first =
                "a: the override of limit by user for user u-1 never acts, because it ended at 2026-05-31T00:00:00Z";
        String second =
                "a: the override of limit by user for user u-2 never acts, because it ended at 2026-06-01T00:00:01Z";

        assertThat(findings(rules)).containsExactly(first);
        assertThat(SetReview.of(set(rules), NOW.plusSeconds(1)))
                .extracting(ReviewFinding::toString)
                .containsExactly(first, second);
    }

    @Test
    void anOverrideBehindOneThatCoversItNeverActs() {
        assertThat(findings("""
                - id: a
                  limits: [{ id: x, by: user, limit: 5, window: 1m }, { id: y, limit: 50, window: 1m }]
                  overrides:
                    - { of: x, when: { plan: [vip, gold] }, limit: 50, until: 2027-01-01T00:00:00Z }
                    - { of: x, when: { plan: "g*", user: u-1 }, limit: 60 }
                    - { of: x, when: { plan: gold, user: u-1 }, limit: 70, until: 2026-07-01T00:00:00Z }
                    - { of: x, when: { plan: vip }, limit: 80 }
                    - { of: y, when: { plan: vip }, limit: 80 }
                """))
                .containsExactly("a: the override of limit x for plan gold and user u-1 never acts, because the one for"
                        + " plan gold, vip comes first and applies to the same requests");
    }

    @Test
    void goodRulesHaveNoFindings() {
        assertThat(findings("""
                - { id: everything, limits: [{ algorithm: token_bucket, rate: 10000/s, burst: 20000 }] }
                - { id: users, service: user-service, limits: [{ rate: 2000/s }] }
                - id: login
                  service: user-service
                  resource: /api/login
                  methods: [POST]
                  limits: [{ by: ip, algorithm: sliding_log, limit: 5, window: 1m }]
                - id: sms
                  resource: /sms/send
                  limits:
                    - { by: header.x-phone, limit: 1, window: 1m }
                    - { by: header.x-phone, limit: 5, window: 1h }
                    - { by: header.x-phone, limit: 10, window: 1d }
                - { id: office, match: { ip: 10.0.0.0/8 }, action: exempt }
                - { id: banned, match: { ip: [203.0.113.9, 198.51.100.0/24] }, action: deny }
                """)).isEmpty();
    }

    @Test
    void atMostAThousandFindingsAreReturned() {
        StringBuilder rules = new StringBuilder("- { id: all, action: deny }\n");
        for (int i = 0; i < 1_500; i++) {
            rules.append("- { id: r").append(i).append(", service: s").append(i).append(", action: exempt }\n");
        }
        assertThat(review(rules.toString())).hasSize(SetReview.MOST);
    }

    private static List<String> findings(String rules) {
        return review(rules).stream().map(ReviewFinding::toString).toList();
    }

    private static List<ReviewFinding> review(String rules) {
        return SetReview.of(set(rules), NOW);
    }

    private static RuleSet set(String rules) {
        String text = "rules:\n" + rules;
        RuleDocument document = RuleDocument.parse("test.yaml", text);
        assertThat(document).as(document.toString()).isInstanceOf(RuleDocument.Accepted.class);
        return new RuleSet(1, ((RuleDocument.Accepted) document).rules());
    }
}
