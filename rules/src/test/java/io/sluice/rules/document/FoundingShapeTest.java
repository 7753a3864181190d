package io.sluice.rules.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.yaml.DocumentError;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FoundingShapeTest {

    private static final String FOUNDING = """
            - resource: "/api/order/create"
              dimensions:
                - { type: user,   field: userId,   limit: 20,  window: 1s }
                - { type: tenant, field: tenantId, limit: 500, window: 1s }
              algorithm: token_bucket
              rate: 100
              burst: 200
            """;

    @Test
    void isOneRuleWithALimitOfItsOwnAndOneForEachDimension() {
        Rule rule = rules(FOUNDING).get(0);

        Limit.Named name = Limit.named("api.order.create.");
        Duration second = Duration.ofSeconds(1);
        assertThat(rule.id()).isEqualTo("api.order.create");
        assertThat(rule.scope().resource()).hasToString("/api/order/create");
        assertThat(rule.limits())
                .containsExactly(
                        limit(
                                "api.order.create.0",
                                name.tokenBucket(Rate.perSecond(100)).withBurst(200)),
                        limit("api.order.create.1", name.slidingWindow(20, second), "userId", "user"),
                        limit("api.order.create.2", name.slidingWindow(500, second), "tenantId", "tenant"));
    }

    @Test
    void standsAtTheRootUnderRulesAndBesideOtherRules() {
        String other = "- { id: b, limits: [{ rate: 1 }] }\n";

        assertThat(rules(FOUNDING + other)).extracting(Rule::id).containsExactly("api.order.create", "b");
        assertThat(rules("rules:\n" + FOUNDING + other)).isEqualTo(rules(FOUNDING + other));
    }

    @Test
    void takesWhatOtherRulesTake() {
        Rule rule = rules("""
                - id: mine
                  resource: /a
                  methods: POST
                  mode: local
                  on_failure: open
                  dimensions: [{ type: ip, algorithm: sliding_log, limit: 5, window: 1m, absent: refuse, id: per-ip }]
                  overrides: [{ when: { plan: vip }, limit: 50 }]
                """).get(0);

        assertThat(rule.id()).isEqualTo("mine");
        assertThat(rule.limits())
                .containsExactly(new RuleLimit(
                        "mine.per-ip",
                        Limit.named("mine.per-ip").slidingLog(5, Duration.ofMinutes(1)),
                        List.of(By.attribute("ip")),
                        AbsentPolicy.REFUSE,
                        Privacy.PLAIN));
        assertThat(rule.overrides()).hasSize(1);
    }

    @Test
    void theIdOfAResourceIsALegalOne() {
        for (String resource : List.of("/", "/a_b/{id}/**", "/" + "x".repeat(1_000))) {
            assertThat(rules("- { resource: \"" + resource + "\", rate: 1 }")
                            .get(0)
                            .scope()
                            .resource())
                    .hasToString(resource);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ rate: 1 } | 1:3: id: missing (expected: 1 to 128 letters, digits, '-', '_' or '.')",
                "{ resource: a, rate: 1 } | 1:15: resource: a (expected: a path such as /users/{id}/orders or /api/**)",
                "{ resource: /a, dimensions: [] } | 1:3: limits: none (expected: at least one limit)",
                "{ resource: /a, dimensions: [{ limit: 1, window: 1s }] } | 1:32: type: missing (expected: an attribute, such as ip or user)",
                "{ resource: /a, dimensions: [{ type: 'a b', limit: 1, window: 1s }] } | 1:40: type: a b (expected: an attribute, such as ip or user)",
                "{ resource: /a, dimensions: [{ typ: ip, limit: 1, window: 1s }] } | 1:34: unknown key: typ (expected: a known key; did you mean type?)",
                "{ resource: /a, dimensions: [{ type: ip, limit: 1 }] } | 1:32: window: missing (expected: a duration such as 1m)",
                "{ resource: /a, dimensions: ip } | 1:31: dimensions: ip (expected: a list)",
                "{ resource: /a, rate: 5, burst: x } | 1:35: burst: x (expected: 0..1000000000000)",
                "{ resource: /a, window: 1s } | 1:3: limit: neither rate nor limit (expected: one of the two, such as rate: 50/s)",
                "{ resource: /a, dimensions: [{ type: u, limit: 1, window: 1s }, { field: u, limit: 2, window: 1s }] } | 1:67: limit: has the same count as the limit at line 1 (expected: an id on one of the two)",
            })
    void refusesWhatItCannotBe(String rule, String expected) {
        assertThat(errors("- " + rule)).contains("f:" + expected);
    }

    @Test
    void aResourceThatIsThereTwiceAsksForAnId() {
        assertThat(errors("- { resource: /a, rate: 1 }\n- { resource: /a, methods: PUT, rate: 1 }\n"))
                .containsExactly(
                        "f:2:15: id: a (expected: an explicit id instead of the one from the resource; line 1 has this one)");
    }

    private static RuleLimit limit(String id, Limit limit, String... by) {
        return new RuleLimit(
                id,
                limit,
                by.length == 0 ? List.of() : List.of(new By(by[0], Optional.of(by[1]))),
                AbsentPolicy.IP,
                Privacy.PLAIN);
    }

    private static List<Rule> rules(String text) {
        RuleDocument document = RuleDocument.parse("f", text);
        assertThat(document).isInstanceOf(Accepted.class);
        return ((Accepted) document).rules();
    }

    private static List<String> errors(String text) {
        RuleDocument document = RuleDocument.parse("f", text);
        assertThat(document).isInstanceOf(Refused.class);
        return ((Refused) document)
                .errors().stream().map(DocumentError::toString).toList();
    }
}
