package io.sluice.rules.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Limit;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.model.Scope;
import io.sluice.rules.yaml.DocumentError;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EarlyRulesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{ id: a, limits: [{ rate: 1 }] }; REQUESTS",
                "{ id: a, for: requests, limits: [{ rate: 1 }] }; REQUESTS",
                "{ id: a, for: code, service: x, limits: [{ by: user, rate: 1 }] }; CODE",
                "{ id: a, for: early, limits: [{ by: ip, rate: 1 }] }; EARLY"
            })
    void readsWhatARuleIsFor(String rule, RuleUse use) {
        assertThat(only(rule).use()).isEqualTo(use);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ id: a, for: early, action: deny, match: { ip: 203.0.113.0/24 } }",
                "{ id: a, for: early, action: exempt, methods: [GET], resource: /health }",
                "{ id: a, for: early, match: { header.Host: shop.example, method: POST, path: /login },"
                        + " limits: [{ by: [ip, header.host, path, method], rate: 5, max_wait: 1s }] }",
                "{ id: a, for: early, limits: [{ by: ip, algorithm: concurrency, limit: 5, ttl: 1m }] }",
                "{ id: a, for: early, match: { answer.status: [401, 403, 404] }, candidate: [{ rate: 1 }],"
                        + " limits: [{ by: ip, limit: 20, window: 1m }] }",
                "{ id: a, for: early, match: { answer.status: 4* }, limits: [{ by: ip, rate: 5 }],"
                        + " overrides: [{ when: { ip: 10.0.0.0/8 }, rate: 50, max_wait: 0 }] }",
                "{ id: a, for: early, resource: /a, dimensions: [{ type: ip, limit: 5, window: 1s }] }"
            })
    void aRuleThatIsWrittenIsReadAgain(String text) {
        Rule rule = only(text);
        String json = RuleJson.document(List.of(rule));

        assertThat(json).contains("\"for\":\"early\"");
        assertThat(RuleDocument.parse("f", json)).isEqualTo(new RuleDocument.Accepted(List.of(rule)));
    }

    @Test
    void countsRequestsAndNotWhatTheyCost() {
        assertThat(errors("""
                rules:
                  - id: a
                    for: early
                    match: { answer.status: 401 }
                    limits: [{ by: ip, rate: 9, cost: { reserve: 5 } }]
                    overrides: [{ when: { ip: 10.0.0.0/8 }, keep: 20% }]
                """))
                .containsExactlyInAnyOrder(
                        "5:39 cost: in a rule for early (expected: none; early rules count requests)",
                        "6:51 keep: not allowed beside match.answer.status"
                                + " (expected: none; answers are counted in any case)");
        assertThat(
                        only("{ id: a, for: early, limits: [{ rate: 9 }], overrides: [{ when: { ip: 10.0.0.1 }, keep: 2 }] }")
                                .overrides())
                .hasSize(1);
    }

    @Test
    void reportsEverythingThatIsNotKnownEarlyAtItsPlace() {
        assertThat(errors("""
                rules:
                  - id: a
                    for: early
                    service: shop
                    match: { user: u, ip: 10.0.0.1, answer.status: 401 }
                    limits:
                      - { by: [ip, tenant], rate: 1 }
                      - { by: { attribute: claim.x, otherwise: header.x }, rate: 1 }
                      - { by: answer.status, algorithm: concurrency, limit: 1, ttl: 1s }
                      - { id: b, rate: 1, max_wait: 1s }
                    candidate:
                      - { algorithm: leaky_bucket, rate: 1, by: json.name }
                    overrides:
                      - { when: { plan: vip }, of: b, rate: 2, max_wait: 2s }
                """))
                .containsExactlyInAnyOrder(
                        "4:5 service: not known before authentication, in a rule for early"
                                + " (expected: ip, path, method, header.host)",
                        "5:14 match: user is not known before authentication, in a rule for early"
                                + " (expected: ip, path, method, header.host or answer.status)",
                        "7:20 by: tenant is not known before authentication, in a rule for early"
                                + " (expected: ip, path, method, header.host)",
                        "8:28 by: claim.x is not known before authentication, in a rule for early"
                                + " (expected: ip, path, method, header.host)",
                        "8:48 otherwise: header.x is not known before authentication, in a rule for early"
                                + " (expected: ip, path, method, header.host)",
                        "9:15 by: answer.status (expected: ip, path, method, header.host;"
                                + " the status can only be matched, under match)",
                        "9:41 algorithm: concurrency: not allowed beside match.answer.status (expected: a limit"
                                + " that holds no permits and never waits, such as sliding_window)",
                        "10:37 max_wait: 1s: not allowed beside match.answer.status (expected: a limit"
                                + " that holds no permits and never waits, such as sliding_window)",
                        "12:22 algorithm: leaky_bucket: not allowed beside match.answer.status (expected: a limit"
                                + " that holds no permits and never waits, such as sliding_window)",
                        "12:49 by: json.name is not known before authentication, in a rule for early"
                                + " (expected: ip, path, method, header.host)",
                        "14:19 when: plan is not known before authentication, in a rule for early"
                                + " (expected: ip, path, method, header.host)",
                        "14:58 max_wait: 2s: not allowed beside match.answer.status (expected: a limit"
                                + " that holds no permits and never waits, such as sliding_window)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{ id: a, for: later, limits: [{ rate: 1 }] }; for: later (expected: requests, code or early)",
                "{ id: a, for: early, action: deny, match: { answer.status: 401 } }; "
                        + "match.answer.status: not allowed with action deny"
                        + " (expected: action limit, because there is no answer yet)",
                "{ id: a, for: early, resource: /a, dimensions: [{ type: user, field: ip, limit: 1, window: 1s }] }; "
                        + "type: user is not known before authentication, in a rule for early"
                        + " (expected: ip, path, method, header.host)",
                "{ id: a, for: early, resource: /a, match: { answer.status: 404 }, algorithm: leaky_bucket, rate: 1 }; "
                        + "algorithm: leaky_bucket: not allowed beside match.answer.status (expected: a limit"
                        + " that holds no permits and never waits, such as sliding_window)",
                "{ id: a, for: code, envoy: { x: y }, limits: [{ rate: 1 }] }; "
                        + "for: code in a rule for descriptors (expected: requests)"
            })
    void refusesWhatMakesNoSense(String rule, String message) {
        assertThat(errors("- " + rule)).anyMatch(error -> error.endsWith(message));
    }

    @Test
    void anEarlyRuleThatNeedsMoreCannotBeBuilt() {
        Limit limit = Limit.named("a").slidingWindow(1, Duration.ofSeconds(1));
        assertThatThrownBy(() -> early(Action.LIMIT, "user", limit))
                .hasMessage("for: early in a rule that uses user"
                        + " (expected: only ip, path, method, header.host, and answer.status in match)");
        assertThatThrownBy(() ->
                        early(Action.LIMIT, "answer.status", Limit.named("a").concurrency(1, Duration.ofSeconds(1))))
                .hasMessageContaining("limits that hold no permits and never wait");
        assertThatThrownBy(() -> early(Action.DENY, "answer.status", null))
                .hasMessageContaining("in a rule that does not count answers");
        assertThat(early(Action.LIMIT, "answer.status", limit).countsAnswers()).isTrue();
    }

    private static Rule early(Action action, String matched, @Nullable Limit limit) {
        RuleLimit only = limit == null ? null : new RuleLimit("a.0", limit, List.of(), AbsentPolicy.IP, Privacy.PLAIN);
        return new Rule(
                "a",
                true,
                action,
                new Scope(null, null, Set.of(), Map.of(matched, Condition.parse(matched, List.of("401")))),
                false,
                only == null ? List.of() : List.of(only),
                List.of(),
                List.of(),
                Handling.DEFAULT,
                RuleUse.EARLY,
                new RuleDescription(Optional.empty(), Optional.empty(), false, Optional.empty(), Map.of()),
                Optional.empty());
    }

    private static Rule only(String rule) {
        RuleDocument document = RuleDocument.parse("f", "- " + rule);
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        return ((RuleDocument.Accepted) document).rules().get(0);
    }

    private static List<String> errors(String text) {
        return ((RuleDocument.Refused) RuleDocument.parse("f", text))
                .errors().stream().map(EarlyRulesTest::shown).toList();
    }

    private static String shown(DocumentError error) {
        return error.line() + ":" + error.column() + " " + error.message();
    }
}
