package io.sluice.replay.imports;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SentinelImportTest {

    private static ImportResult of(String json) {
        return ImportResult.of(ImportKind.SENTINEL, "rules.json", json);
    }

    @Test
    void aFlowRuleIsASlidingWindowOfTwoHalfSeconds() {
        ImportResult result = of("""
                [
                  {"resource": "GET:/orders", "limitApp": "default", "grade": 1, "count": 20.9, "strategy": 0,
                   "controlBehavior": 0, "clusterMode": false},
                  {"resource": "createOrder", "limitApp": "shop,app*", "grade": 0, "count": 5}
                ]
                """);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: GET-orders
                    resource: /orders
                    methods: [GET]
                    limits:
                      - { limit: 20, window: 500ms, slices: 1 }
                    mode: local
                  - id: createOrder
                    for: code
                    match: { app: [shop, "app\\\\*"] }
                    limits:
                      - { algorithm: concurrency, limit: 5, ttl: 1h }
                    mode: local
                """);
        assertThat(result.warnings()).isEmpty();
    }

    @Test
    void queueingAndWarmingUp() {
        ImportResult result = of("""
                [
                  {"resource": "/a", "count": 2.5, "controlBehavior": 2, "maxQueueingTimeMs": 800},
                  {"resource": "/b", "count": 30, "controlBehavior": 1, "warmUpPeriodSec": 10},
                  {"resource": "/c", "count": 30, "strategy": 1, "refResource": "/d"}
                ]
                """);
        assertThat(result.bare()).contains("{ rate: 25/10s, burst: 1, max_wait: 800ms }");
        assertThat(result.rules()).hasSize(2);
        assertThat(result.warnings())
                .containsExactly(
                        "rules.json:3:3: warning: controlBehavior: a cold resource starts at a third of the count and reaches"
                                + " it after 10 s; here the whole count is there at once, up to three times as much until then",
                        "rules.json:4:3: warning: strategy: a limit by another resource's traffic cannot be said; the rule is"
                                + " not imported");
    }

    @Test
    void aHotParameterHasItsOwnCount() {
        ImportResult result = of("""
                {"paramFlowRules": [{"resource": "getUser", "paramIdx": 1, "count": 5, "durationInSec": 10, "burstCount": 2,
                  "paramFlowItemList": [{"object": "vip", "classType": "java.lang.String", "count": 50}]}]}
                """);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: getUser
                    for: code
                    limits:
                      - { by: key, absent: skip, rate: 5/10s, burst: 7 }
                    overrides:
                      - { when: { key: vip }, burst: 52, rate: 50/10s }
                    mode: local
                """);
        assertThat(result.warnings()).hasSize(1);
    }

    @Test
    void gatewayRulesUseApiGroups() {
        ImportResult result = of("""
                {
                  "gatewayFlowRules": [
                    {"resource": "orders-api", "resourceMode": 1, "count": 10, "intervalSec": 2, "burst": 5,
                     "paramItem": {"parseStrategy": 2, "fieldName": "X-User", "pattern": "t-", "matchStrategy": 3}},
                    {"resource": "missing", "resourceMode": 1, "count": 10},
                    {"resource": "orders-route", "resourceMode": 0, "count": 10}
                  ],
                  "apiGroups": [
                    {"apiName": "orders-api", "predicateItems": [
                      {"pattern": "/orders/**", "matchStrategy": 1}, {"pattern": "/basket"}]}
                  ]
                }
                """);
        assertThat(result.bare())
                .contains("match: { path: [/basket, /orders, \"/orders/*\"], header.x-user: \"*t-*\" }")
                .contains("- { by: header.x-user, absent: skip, rate: 10/2s, burst: 15 }");
        assertThat(result.rules().get(1).shadow()).isTrue();
        assertThat(result.bare()).contains("  - id: orders-route\n    for: code\n");
    }

    @Test
    void aPrefixOfAValueIsIgnoredAsInSentinel() {
        ImportResult result = of("""
                [{"resource": "orders", "resourceMode": 0, "count": 10,
                  "paramItem": {"parseStrategy": 2, "fieldName": "X-User", "pattern": "t-", "matchStrategy": 1}},
                 {"resource": "orders", "resourceMode": 0, "count": 100}]
                """);
        assertThat(result.bare()).doesNotContain("match:");
        assertThat(result.imported().document()).contains("matchStrategy: 1 is not implemented by Sentinel (1.8.9)");
        assertThat(result.warnings()).anyMatch(text -> text.contains(":3:2: warning: resource: Sentinel asks"));
    }

    @Test
    void errorsHavePlaces() {
        assertThat(ImportResult.errors(
                        ImportKind.SENTINEL, "rules.json", "[{\"resource\": \"/a\", \"count\": \"many\"}]"))
                .containsExactly("rules.json:1:30: count: many (expected: a number, 0..1000000000000)");
        assertThat(ImportResult.errors(ImportKind.SENTINEL, "rules.json", "{}"))
                .containsExactly("rules.json:1:1: rules: none found (expected: a list of rules, each with a resource)");
        assertThat(ImportResult.errors(ImportKind.SENTINEL, "rules.json", "[{\"resource\": "))
                .hasSize(1);
    }
}
