package io.sluice.rules.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.TokenBucket;
import io.sluice.rules.cost.AnswerAttribute;
import io.sluice.rules.cost.Cost;
import io.sluice.rules.cost.Cost.Settling;
import io.sluice.rules.cost.Reserve;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.flat.FlatRule;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The keys {@code cost} and {@code durable} of a limit. */
class CostDocumentTest {

    private static final AnswerAttribute TOTAL = AnswerAttribute.parse("answer.json.usage.total_tokens");

    private static final String COMPLETIONS = """
            - id: completions
              resource: /v1/chat/completions
              limits:
                - { id: requests, by: tenant, rate: 60/m }
                - { id: tokens, by: tenant, rate: 100000/m, cost: { reserve: json.max_tokens, default: 2000, settle: answer.json.usage.total_tokens } }
                - { id: budget, by: tenant, algorithm: fixed_window, limit: 20000000, align: month, durable: true, cost: { reserve: json.max_tokens, default: 2000, settle: answer.json.usage.total_tokens, within: 1h } }
            """;

    @Test
    void readsWhatEachLimitCosts() {
        Rule rule = rule(COMPLETIONS);
        Reserve reserve = new Reserve.Attribute("json.max_tokens", OptionalLong.of(2_000));

        assertThat(rule.limits())
                .extracting(RuleLimit::cost)
                .containsExactly(
                        Optional.empty(),
                        Optional.of(
                                new Cost.Reserved(reserve, Optional.of(new Settling(TOTAL, Settling.DEFAULT_WITHIN)))),
                        Optional.of(new Cost.Reserved(reserve, Optional.of(new Settling(TOTAL, Duration.ofHours(1))))));
        assertThat(rule.limits()).extracting(RuleLimit::durable).containsExactly(false, false, true);
        assertThat(rule.attributes()).contains("json.max_tokens").doesNotContain("answer.json.usage.total_tokens");
        assertThat(rule.answerAttributes()).containsExactly(TOTAL);
        assertThat(RuleDocument.parse("f", COMPLETIONS).warnings()).isEmpty();
    }

    /** One second of 100000/m would be 1,666, less than most single requests reserve. */
    @Test
    void aBucketWithACostHoldsTheWholeRateUnlessItSaysOtherwise() {
        assertThat(burst("rate: 100000/m, cost: { reserve: json.n, default: 1 }"))
                .isEqualTo(100_000);
        assertThat(burst("rate: 100000/m, cost: { charge: always }")).isEqualTo(100_000);
        assertThat(burst("rate: 100000/m, cost: { charge: always }, burst: 5")).isEqualTo(5);
        assertThat(burst("rate: 10/s, cost: { charge: always }")).isEqualTo(10);
        assertThat(burst("rate: 5/100ms, cost: { charge: always }")).isEqualTo(burst("rate: 5/100ms"));
        assertThat(burst("rate: 100000/m")).isEqualTo(1_666);
        assertThat(((TokenBucket) rule("""
                        - id: a
                          limits: [{ rate: 60/m, cost: { reserve: 5 } }]
                          overrides: [{ when: { plan: vip }, rate: 600/m }]
                        """).overrides().get(0).numbers()).burst())
                .isEqualTo(600);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"rate\":\"100000/m\",\"cost\":{\"reserve\":\"json.n\",\"default\":2,\"settle\":\"answer.header.x\"}}",
                "{\"rate\":\"100000/m\",\"burst\":1666,\"cost\":{\"reserve\":\"5\",\"default\":2}}",
                "{\"limit\":9,\"window\":\"1m\",\"cost\":{\"reserve\":5,\"settle\":\"answer.json.a.b\",\"within\":\"1d\"}}",
                "{\"algorithm\":\"sliding_log\",\"limit\":9,\"window\":\"1m\",\"cost\":{\"charge\":\"always\"}}",
                "{\"algorithm\":\"fixed_window\",\"limit\":9,\"align\":\"day\",\"durable\":true}",
            })
    void isWrittenAsItIsRead(String limit) {
        String json = "{\"id\":\"a\",\"limits\":[" + limit + "]}";

        assertThat(RuleJson.rule(rule("[" + json + "]"))).isEqualTo(json);
    }

    @Test
    void defaultsAreLeftOut() {
        assertThat(RuleJson.rule(rule("""
                - id: a
                  limits:
                    - { rate: 60/m, burst: 60, durable: false, cost: { within: 300s, settle: answer.header.X-A, reserve: 1 } }
                """)))
                .isEqualTo("{\"id\":\"a\",\"limits\":[{\"rate\":\"60/m\",\"cost\":{\"reserve\":1,"
                        + "\"settle\":\"answer.header.x-a\"}}]}");
    }

    /** Otherwise every node would believe that its rules changed. */
    @Test
    void aRuleWithoutACostIsWrittenAsItAlwaysWas() {
        RuleDocument document = RuleDocument.parse("f", """
                rules:
                  - id: a
                    limits:
                      - { by: user, rate: 100/m, absent: skip }
                      - { algorithm: fixed_window, limit: 5, align: day }
                    overrides: [{ when: { plan: vip }, of: 0, rate: 100/m }]
                """);

        assertThat(RuleJson.document(((Accepted) document).rules()))
                .isEqualTo(
                        "{\"rules\":[\n{\"id\":\"a\",\"limits\":[{\"by\":\"user\",\"absent\":\"skip\",\"rate\":\"100/m\"},"
                                + "{\"algorithm\":\"fixed_window\",\"limit\":5,\"align\":\"day\"}],\"overrides\":[{\"when\":{\"plan\":"
                                + "\"vip\"},\"of\":0,\"rate\":\"100/m\",\"burst\":1,\"max_wait\":\"0s\"}]}]}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rate: 9, cost: 5 | 3:29: cost: 5 (expected: a mapping)",
                "rate: 9, cost: {} | 3:29: cost: empty (expected: reserve with an attribute such as json.max_tokens or a"
                        + " number, or charge: always)",
                "rate: 9, cost: { settle: answer.json.n } | 3:29: reserve: missing (expected: reserve with an attribute such"
                        + " as json.max_tokens or a number, or charge: always)",
                "rate: 9, cost: { default: 5 } | 3:29: reserve: missing (expected: reserve with an attribute such"
                        + " as json.max_tokens or a number, or charge: always)",
                "rate: 9, cost: { resrve: 5 } | 3:31: unknown key: resrve (expected: a known key; did you mean reserve?)",
                "rate: 9, cost: { reserve: ~ } | 3:40: reserve: nothing (expected: an attribute such as json.max_tokens, or a"
                        + " whole number)",
                "rate: 9, cost: { reserve: [a] } | 3:40: reserve: a list (expected: an attribute such as json.max_tokens, or a"
                        + " whole number)",
                "rate: 9, cost: { reserve: -1 } | 3:40: reserve: -1 (expected: 0..1000000000)",
                "rate: 9, cost: { reserve: 1.5 } | 3:40: reserve: 1.5 (expected: 0..1000000000)",
                "rate: 9, cost: { reserve: 1000000001 } | 3:40: reserve: 1000000001 (expected: 0..1000000000)",
                "rate: 9, cost: { reserve: 0 } | 3:40: reserve: 0 without settle (expected: 1 or more, or settle; such a limit"
                        + " would count nothing)",
                "rate: 9, cost: { reserve: JSON.n, default: 1 } | 3:40: reserve: JSON.n (expected: json.n)",
                "rate: 9, cost: { reserve: answer.json.n } | 3:40: reserve: answer.json.n (expected: an attribute of the request;"
                        + " there is no answer yet when permits are reserved)",
                "rate: 9, cost: { reserve: json.n, default: -1 } | 3:57: default: -1 (expected: 0..1000000000)",
                "rate: 9, cost: { reserve: json.n, default: '5' } | 3:57: default: \"5\" (expected: 0..1000000000, without quotes)",
                "rate: 9, cost: { reserve: 5, default: 5 } | 3:43: default: set together with a number to reserve (expected:"
                        + " none; the number always applies)",
                "rate: 9, cost: { reserve: 5, settle: json.n } | 3:51: settle: json.n (expected: an attribute of the answer:"
                        + " answer.json.<path>, answer.header.<name> or answer.status, such as answer.json.usage.total_tokens)",
                "rate: 9, cost: { reserve: 5, within: 1m } | 3:43: within: set without settle (expected: settle with an"
                        + " attribute of the answer: answer.json.<path>, answer.header.<name> or answer.status)",
                "rate: 9, cost: { reserve: 5, settle: answer.json.n, within: 500ms } | 3:74: within: 500ms (expected: 1s to 1d,"
                        + " such as 250ms, 1s, 1m, 1h or 1d)",
                "rate: 9, cost: { reserve: 5, settle: answer.json.n, within: 2d } | 3:74: within: 2d (expected: 1s to 1d, such"
                        + " as 250ms, 1s, 1m, 1h or 1d)",
                "rate: 9, cost: { charge: sometimes } | 3:39: charge: sometimes (expected: always)",
                "rate: 9, cost: { charge: always, reserve: 5 } | 3:47: reserve: set together with charge (expected: charge alone,"
                        + " or reserve)",
                "rate: 9, max_wait: 1s, cost: { charge: always } | 3:23: max_wait: set together with charge: always (expected:"
                        + " none; such a call never waits)",
                "algorithm: leaky_bucket, rate: 9, cost: { reserve: 5 } | 3:48: cost: not allowed with leaky_bucket (expected:"
                        + " token_bucket, fixed_window, sliding_window or sliding_log)",
                "algorithm: concurrency, limit: 9, ttl: 1s, cost: { charge: always } | 3:57: cost: not allowed with concurrency"
                        + " (expected: token_bucket, fixed_window, sliding_window or sliding_log)",
                "rate: 9, durable: true | 3:23: durable: true without align (expected: algorithm: fixed_window with align: day,"
                        + " week, month or year)",
                "algorithm: fixed_window, limit: 9, window: 1d, durable: true | 3:61: durable: true without align (expected:"
                        + " algorithm: fixed_window with align: day, week, month or year)",
                "rate: 9, durable: yes | 3:32: durable: yes (expected: true or false)",
                "rate: 9, keep: 20% | 3:23: keep: in a limit (expected: in an override of it, for the requests that leave a part"
                        + " to others)",
            })
    void refusesEachImpossibleCombinationAtItsPlace(String limit, String error) {
        assertThat(errors("rules:\n- id: a\n  limits: [{ " + limit + " }]")).containsExactly("f:" + error);
    }

    @Test
    void refusesCombinationsWithinARule() {
        assertThat(errors("""
                - id: a
                  mode: local
                  limits: [{ algorithm: fixed_window, limit: 9, align: day, durable: true }]
                - id: b
                  limits: [{ rate: 9, cost: { charge: always } }]
                  overrides:
                    - { when: { plan: free }, keep: 20% }
                    - { when: { plan: vip }, max_wait: 1s }
                - id: c
                  cost: { reserve: 5 }
                  durable: true
                  keep: 5
                  limits: [{ rate: 1 }]
                - resource: /d
                  dimensions: [{ type: user, limit: 5, window: 1s, cost: { reserve: 1 }, durable: true, keep: 1 }]
                """))
                .containsExactly(
                        "f:2:9: mode: local with a durable limit (expected: distributed or local_distributed; counts of one"
                                + " process are not durable)",
                        "f:7:31: keep: of a limit with charge: always (expected: a limit that refuses requests)",
                        "f:8:7: max_wait: set together with charge: always (expected: none; such a call never waits)",
                        "f:10:3: cost: on the rule (expected: inside one of its limits)",
                        "f:11:3: durable: on the rule (expected: inside one of its limits)",
                        "f:12:3: keep: on the rule (expected: inside one of its overrides)",
                        "f:15:52: cost: in a dimension (expected: in a limit, of a rule with limits instead of dimensions)",
                        "f:15:74: durable: in a dimension (expected: in a limit, of a rule with limits instead of dimensions)",
                        "f:15:89: keep: in a dimension (expected: in an override)");
    }

    @Test
    void warnsOfWhatIsProbablyNotMeant() {
        RuleDocument document = RuleDocument.parse("f", """
                - id: a
                  limits:
                    - { id: x, rate: 9/s, cost: { reserve: 10 } }
                    - { id: y, limit: 9, window: 1m, cost: { reserve: json.n, default: 10 } }
                    - { id: z, rate: 9/s, cost: { reserve: json.n, settle: answer.status } }
                    - { id: w, limit: 0, window: 1m, cost: { reserve: 10 } }
                    - { id: u, by: [tenant, user, { attribute: userId, otherwise: ip }], algorithm: fixed_window, limit: 9, align: day, durable: true }
                    - { id: t, by: [tenant, plan], algorithm: fixed_window, limit: 9, align: day, durable: true }
                    - { id: v, rate: 20/s, cost: { reserve: tokns, default: 10 } }
                  overrides: [{ when: { plan: free }, of: v, rate: 5/s }]
                - id: b
                  envoy: { domain: d, path: [{ key: k }] }
                  limits: [{ rate: 9, cost: { reserve: descriptor.n, default: 1, settle: answer.json.n } }]
                - id: c
                  match: { descriptor.k: v }
                  limits: [{ rate: 9 }]
                  candidate: [{ rate: 9, cost: { reserve: 1, settle: answer.header.n } }]
                """);

        String stands =
                ": no front door sees the answers to descriptors, so the reservation stands; report usage to a limit"
                        + " with cost: {charge: always}";
        assertThat(document).isInstanceOf(Accepted.class);
        assertThat(document.warnings())
                .extracting(Object::toString)
                .containsExactly(
                        "f:3:33: cost: a reservation of 10 is more than the limit can ever hold (9), so every request is refused",
                        "f:4:44: cost: a reservation of 10 is more than the limit can ever hold (9), so requests without json.n"
                                + " are refused",
                        "f:5:33: cost: no default: a request without json.n reserves only the permits that it asks for,"
                                + " usually 1",
                        "f:5:33: settle: answer.status: a status such as 200 is not an amount",
                        "f:7:130: durable: counts by user, userId, ip may be more than 100000, the most that are durable; the"
                                + " others are lost with the store",
                        "f:9:45: reserve: tokns: nobody sends this attribute; declare it under attributes: if it is yours",
                        "f:10:15: cost: a reservation of 10 is more than the limit can ever hold (5), so requests without tokns are"
                                + " refused",
                        "f:13:29: settle: answer.json.n" + stands,
                        "f:17:32: settle: answer.header.n" + stands);
    }

    @Test
    void theFlatFormHasItOnlyAsADocument() {
        Rule rule =
                rule("[{ id: a, limits: [{ algorithm: fixed_window, limit: 9, window: 1m, cost: { reserve: 2 } }] }]");
        Map<String, String> fields = FlatRule.write(rule);

        assertThat(fields).containsEntry("document", RuleJson.rule(rule));
        assertThat(FlatRule.read("f", fields)).isEqualTo(new Accepted(List.of(rule)));
        Map<String, String> flat = new HashMap<>(fields);
        flat.remove("document");
        flat.put("cost", "2");
        assertThat(((Refused) FlatRule.read("f", flat)).errors().get(0).message())
                .startsWith("cost: \"2\" (expected: one of id");
    }

    @Test
    void aCostIsPartOfTheDigest() {
        String with = "[{ id: a, limits: [{ rate: 1, cost: { reserve: 1 } }] }]";

        assertThat(new RuleSet(1, List.of(rule(with))).digest())
                .isNotEqualTo(new RuleSet(1, List.of(rule("[{ id: a, limits: [{ rate: 1 }] }]"))).digest());
    }

    private static long burst(String limit) {
        return ((TokenBucket) rule("[{ id: a, limits: [{ " + limit + " }] }]")
                        .limits()
                        .get(0)
                        .limit())
                .burst();
    }

    private static Rule rule(String document) {
        RuleDocument read = RuleDocument.parse("f", document);
        assertThat(read).isInstanceOf(Accepted.class);
        return ((Accepted) read).rules().get(0);
    }

    private static List<String> errors(String document) {
        return ((Refused) RuleDocument.parse("f", document))
                .errors().stream().map(Object::toString).toList();
    }
}
