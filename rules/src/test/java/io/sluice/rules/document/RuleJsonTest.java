package io.sluice.rules.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.model.Rule;
import io.sluice.testkit.SeededRandom;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RuleJsonTest {

    @Test
    void whatWasWrittenReadsAsTheSameRule() {
        long seed = Long.getLong("sluice.tests.seed", new Random().nextLong());
        System.out.println("whatWasWrittenReadsAsTheSameRule: seed " + seed);
        RandomRules rules = new RandomRules(new Random(seed));
        for (int i = 0; i < SeededRandom.scaled(700, 20_000); i++) {
            Rule rule = rules.next();
            String json = RuleJson.rule(rule);
            String transported = new String(json.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
            RuleDocument document = RuleDocument.parseRule("f", transported);

            assertThat(document).as(json).isEqualTo(new Accepted(List.of(rule)));
            assertThat(RuleJson.rule(((Accepted) document).rules().get(0))).isEqualTo(json);
        }
    }

    @Test
    void yamlReadsWhatWasWrittenToo() {
        Random random = new Random(42);
        RandomRules rules = new RandomRules(random);
        for (int i = 0; i < 200; i++) {
            Rule rule = rules.next();
            // A comment is not JSON, so the YAML parser reads this.
            String yaml = RuleJson.rule(rule) + " # rule";

            assertThat(RuleDocument.parseRule("f", yaml)).as(yaml).isEqualTo(new Accepted(List.of(rule)));
        }
    }

    @Test
    void leavesDefaultsOut() {
        assertThat(written("""
                rules:
                  - id: a
                    enabled: true
                    action: limit
                    protected: false
                    shadow: false
                    mode: distributed
                    on_failure: local
                    deadline: 20ms
                    guard: off
                    labels: {}
                    candidate: []
                    overrides: []
                    limits:
                      - { by: [user], absent: ip, privacy: plain, algorithm: token_bucket, rate: 60, burst: 60, max_wait: 0 }
                      - { algorithm: sliding_window, limit: 5, window: 60s, slices: 10, weighted: false }
                      - { algorithm: fixed_window, limit: 5, align: day, zone: UTC }
                """))
                .containsExactly("{\"id\":\"a\",\"limits\":[{\"by\":\"user\",\"rate\":\"60/s\"},"
                        + "{\"limit\":5,\"window\":\"1m\"},"
                        + "{\"algorithm\":\"fixed_window\",\"limit\":5,\"align\":\"day\"}]}");
    }

    @Test
    void doesNotDependOnTheOrderOfWhatHasNone() {
        assertThat(written("""
                rules:
                  - { id: a, methods: [PUT, GET], match: { user: [b, a], ip: 10.0.0.0/8 }, labels: { y: 1, x: 2 }, action: deny }
                """)).isEqualTo(written("""
                rules:
                  - { labels: { x: 2, y: 1 }, action: deny, match: { ip: 10.0.0.0/8, user: [a, b] }, methods: [GET, PUT], id: a }
                """));
    }

    @Test
    void writesTheFoundingShapeAsAnyOtherRule() {
        assertThat(
                        written(
                                "- { resource: /a, rate: 5, dimensions: [{ type: user, field: userId, limit: 1, window: 1s }] }"))
                .containsExactly("{\"id\":\"a\",\"resource\":\"/a\",\"limits\":[{\"rate\":\"5/s\"},"
                        + "{\"by\":{\"attribute\":\"userId\",\"otherwise\":\"user\"},\"limit\":1,\"window\":\"1s\"}]}");
    }

    @Test
    void writesWholeSets() {
        RandomRules random = new RandomRules(new Random(7));
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Rule rule = random.next();
            if (rules.stream().noneMatch(other -> other.id().equals(rule.id()))) {
                rules.add(rule);
            }
        }
        Accepted read = (Accepted) RuleDocument.parse("f", RuleJson.document(rules));
        assertThat(read.rules()).isEqualTo(rules);
        assertThat(RuleDocument.parse("f", RuleJson.document(List.of()))).isEqualTo(new Accepted(List.of()));
    }

    private static List<String> written(String text) {
        return ((Accepted) RuleDocument.parse("f", text))
                .rules().stream().map(RuleJson::rule).toList();
    }
}
