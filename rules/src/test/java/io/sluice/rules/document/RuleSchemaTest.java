package io.sluice.rules.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.cost.CostReader;
import io.sluice.rules.model.Message;
import io.sluice.rules.model.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keeps the schema and the parser in agreement. */
class RuleSchemaTest {

    private final Schema schema = new Schema(RuleSchema.json());

    @Test
    void isTheFileInTheDocs() throws IOException {
        assertThat(RuleSchema.json()).isEqualTo(Files.readString(Path.of("..", "docs", "rule-schema.json")));
    }

    @Test
    void hasTheKeysOfTheParserAndNoOthers() {
        assertThat(keys(Schema.map(Schema.list(schema.root().get("anyOf")).get(0))))
                .isEqualTo(DocumentKeys.DOCUMENT);
        assertThat(keys(schema.definition("rule"))).isEqualTo(DocumentKeys.RULE);
        assertThat(keys(schema.definition("limit"))).isEqualTo(DocumentKeys.LIMIT);
        assertThat(keys(schema.definition("dimension"))).isEqualTo(DocumentKeys.DIMENSION);
        assertThat(keys(schema.definition("override"))).isEqualTo(DocumentKeys.OVERRIDE);
        assertThat(keys(property("rule", "lease"))).isEqualTo(DocumentKeys.LEASE);
        assertThat(keys(schema.definition("cost"))).isEqualTo(CostReader.KEYS);
        assertThat(keys(property("rule", "envoy")))
                .isEqualTo(Set.of(
                        "domain", "path", "unlimited", "name", "replaces", "quota", "detailed_metric", "metadata"));
        Map<?, ?> path = Schema.map(
                Schema.map(property("rule", "envoy").get("properties")).get("path"));
        assertThat(keys(Schema.map(path.get("items")))).isEqualTo(Set.of("key", "value", "share_threshold"));
        assertThat(keys(Schema.map(
                        Schema.list(schema.definition("by").get("anyOf")).get(1))))
                .isEqualTo(DocumentKeys.BY);
        assertThat(keys(Schema.map(
                        Schema.list(property("rule", "message").get("anyOf")).get(1))))
                .isEqualTo(Set.copyOf(Message.LANGUAGES));
    }

    @Test
    void hasTheWordsOfTheParserAndNoOthers() {
        assertThat(words("rule", "action")).isEqualTo(List.copyOf(DocumentWords.ACTIONS.keySet()));
        assertThat(words("rule", "mode")).isEqualTo(List.copyOf(DocumentWords.MODES.keySet()));
        assertThat(words("rule", "on_failure")).isEqualTo(List.copyOf(DocumentWords.POLICIES.keySet()));
        for (String definition : List.of("limit", "dimension")) {
            assertThat(words(definition, "absent")).isEqualTo(List.copyOf(DocumentWords.ABSENT.keySet()));
            assertThat(words(definition, "unread")).isEqualTo(List.copyOf(DocumentWords.UNREAD.keySet()));
            assertThat(words(definition, "privacy")).isEqualTo(List.copyOf(DocumentWords.PRIVACY.keySet()));
            assertThat(words(definition, "algorithm")).isEqualTo(List.copyOf(DocumentWords.ALGORITHMS.keySet()));
            assertThat(words(definition, "align")).isEqualTo(List.copyOf(DocumentWords.CALENDARS.keySet()));
        }
    }

    @Test
    void acceptsEveryRule() {
        long seed = Long.getLong("sluice.tests.seed", new Random().nextLong());
        System.out.println("acceptsEveryRule: seed " + seed);
        RandomRules rules = new RandomRules(new Random(seed));
        for (int i = 0; i < 500; i++) {
            Rule rule = rules.next();
            String json = RuleJson.document(List.of(rule));
            assertThat(schema.accepts(JsonValues.parse(json))).as(json).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "rules: []",
                "{ $schema: x, rules: [] }",
                "[{ resource: /a, rate: 5 }]",
                "[{ resource: /a, dimensions: [{ type: ip, limit: 5, window: 1s }] }]",
                "[{ id: a, resource: /a, algorithm: concurrency, limit: 5, ttl: 1s, dimensions: [] }]",
                "[{ id: 5, action: deny, limits: [] }]",
                "[{ id: a, action: deny, shadow: false }]",
                "[{ id: a, for: early, match: { answer.status: 401 }, limits: [{ by: ip, rate: 5 }] }]",
                "[{ id: a, limits: [{ rate: 0 }], methods: get, match: { user: 5, x: [true, a] } }]",
                "[{ id: a, limits: [{ rate: 5, max_wait: 0 }], guard: off, mode: local, labels: {} }]",
                "[{ id: a, limits: [{ rate: 5 }], mode: local_distributed, lease: { size: auto } }]",
                "[{ id: a, limits: [{ rate: 5 }], overrides: [{ when: { a: b }, rate: 3/10s, of: 0 }] }]",
                "[{ id: a, limits: [{ by: { attribute: a }, rate: 5, absent: skip }], message: { zh: x } }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: json.max_tokens } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: true, default: 0, settle: answer.json.a.b, within: 1s } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: 0, settle: answer.header.X-Cost } }] }]",
                "[{ id: a, limits: [{ limit: 5, window: 1s, cost: { charge: always } }] }]",
                "[{ id: a, limits: [{ algorithm: sliding_log, limit: 5, window: 1s, cost: { reserve: '5' } }] }]",
                "[{ id: a, limits: [{ algorithm: fixed_window, limit: 5, align: day, durable: true }] }]",
                "[{ id: a, limits: [{ rate: 5, durable: false }] }]",
                "[{ id: a, limits: [{ rate: 5 }], overrides: [{ when: { a: b }, keep: 20% }, { when: { a: c }, keep: 1, burst: 2 }] }]",
                "[{ id: a, limits: [{ rate: 5 }], overrides: [{ when: { a: b }, keep: 0 }, { when: { a: c }, keep: 0100% }] }]",
            })
    void acceptsWhatTheParserAccepts(String document) {
        assertThat(RuleDocument.parse("f", document)).isInstanceOf(RuleDocument.Accepted.class);
        assertThat(schema.accepts(JsonValues.parse(document))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hello",
                "{}",
                "{ rules: 5 }",
                "{ rules: [], more: 1 }",
                "[5]",
                "[{ id: a }]",
                "[{ id: a, limits: [] }]",
                "[{ limits: [{ rate: 1 }] }]",
                "[{ id: 'a b', limits: [{ rate: 1 }] }]",
                "[{ id: a, limts: [{ rate: 1 }] }]",
                "[{ id: a, enabled: maybe, limits: [{ rate: 1 }] }]",
                "[{ id: a, enabled: 'true', limits: [{ rate: 1 }] }]",
                "[{ id: a, for: later, limits: [{ rate: 1 }] }]",
                "[{ id: a, action: ban, limits: [{ rate: 1 }] }]",
                "[{ id: a, action: deny, limits: [{ rate: 1 }] }]",
                "[{ id: a, action: deny, shadow: true }]",
                "[{ id: a, action: exempt, deadline: 5ms }]",
                "[{ id: a, action: exempt, rate: 5 }]",
                "[{ id: a, name: '', limits: [{ rate: 1 }] }]",
                "[{ id: a, service: [a], limits: [{ rate: 1 }] }]",
                "[{ id: a, resource: a, limits: [{ rate: 1 }] }]",
                "[{ id: a, methods: [], limits: [{ rate: 1 }] }]",
                "[{ id: a, methods: 'GE T', limits: [{ rate: 1 }] }]",
                "[{ id: a, match: {}, limits: [{ rate: 1 }] }]",
                "[{ id: a, match: { ip: [] }, limits: [{ rate: 1 }] }]",
                "[{ id: a, match: { ip: {} }, limits: [{ rate: 1 }] }]",
                "[{ id: a, service: a, match: { service: b }, limits: [{ rate: 1 }] }]",
                "[{ id: a, resource: /a, match: { path: /b }, limits: [{ rate: 1 }] }]",
                "[{ id: a, methods: PUT, match: { method: GET }, limits: [{ rate: 1 }] }]",
                "[{ id: a, mode: global, limits: [{ rate: 1 }] }]",
                "[{ id: a, lease: { size: 5 }, limits: [{ rate: 1 }] }]",
                "[{ id: a, mode: local_distributed, lease: { size: 0 }, limits: [{ rate: 1 }] }]",
                "[{ id: a, mode: local_distributed, lease: { sise: 1 }, limits: [{ rate: 1 }] }]",
                "[{ id: a, mode: local, guard: 1.2, limits: [{ rate: 1 }] }]",
                "[{ id: a, guard: 0.5, limits: [{ rate: 1 }] }]",
                "[{ id: a, on_failure: shut, limits: [{ rate: 1 }] }]",
                "[{ id: a, local_share: 0, limits: [{ rate: 1 }] }]",
                "[{ id: a, local_share: 1.5, limits: [{ rate: 1 }] }]",
                "[{ id: a, deadline: 5, limits: [{ rate: 1 }] }]",
                "[{ id: a, deadline: 0ms, limits: [{ rate: 1 }] }]",
                "[{ id: a, message: {}, limits: [{ rate: 1 }] }]",
                "[{ id: a, message: { fr: non }, limits: [{ rate: 1 }] }]",
                "[{ id: a, labels: { a: [b] }, limits: [{ rate: 1 }] }]",
                "[{ id: a, rate: 5, limits: [{ rate: 1 }] }]",
                "[{ id: a, limits: [{ by: user }] }]",
                "[{ id: a, limits: [{ rate: 1, limit: 1 }] }]",
                "[{ id: a, limits: [{ rate: 1.5 }] }]",
                "[{ id: a, limits: [{ rate: 5/w }] }]",
                "[{ id: a, limits: [{ rate: 1, burst: -1 }] }]",
                "[{ id: a, limits: [{ rate: 1, window: 1s }] }]",
                "[{ id: a, limits: [{ limit: 1 }] }]",
                "[{ id: a, limits: [{ limit: 1, window: 0s }] }]",
                "[{ id: a, limits: [{ limit: 1, window: 1s, slices: 0 }] }]",
                "[{ id: a, limits: [{ limit: 1, window: 1s, weighted: 'yes' }] }]",
                "[{ id: a, limits: [{ algorithm: guess, rate: 1 }] }]",
                "[{ id: a, limits: [{ algorithm: token_bucket, limit: 1 }] }]",
                "[{ id: a, limits: [{ algorithm: leaky_bucket, rate: 1, burst: 1 }] }]",
                "[{ id: a, limits: [{ algorithm: fixed_window, limit: 1 }] }]",
                "[{ id: a, limits: [{ algorithm: fixed_window, limit: 1, window: 1s, align: day }] }]",
                "[{ id: a, limits: [{ algorithm: fixed_window, limit: 1, window: 1s, zone: UTC }] }]",
                "[{ id: a, limits: [{ algorithm: fixed_window, limit: 1, align: hour }] }]",
                "[{ id: a, limits: [{ algorithm: sliding_log, limit: 100001, window: 1s }] }]",
                "[{ id: a, limits: [{ algorithm: concurrency, limit: 1 }] }]",
                "[{ id: a, limits: [{ rate: 1, id: 5 }] }]",
                "[{ id: a, limits: [{ rate: 1, id: candidate-x }] }]",
                "[{ id: a, limits: [{ rate: 1, by: [] }] }]",
                "[{ id: a, limits: [{ rate: 1, by: [a, a] }] }]",
                "[{ id: a, limits: [{ rate: 1, by: 'a b' }] }]",
                "[{ id: a, limits: [{ rate: 1, by: { otherwise: a } }] }]",
                "[{ id: a, limits: [{ rate: 1, absent: skip }] }]",
                "[{ id: a, limits: [{ rate: 1, by: a, privacy: secret }] }]",
                "[{ id: a, limits: [{ rate: 1 }], candidate: [{ rte: 1 }] }]",
                "[{ id: a, limits: [{ rate: 1 }], overrides: [{ rate: 1 }] }]",
                "[{ id: a, limits: [{ rate: 1 }], overrides: [{ when: {}, rate: 1 }] }]",
                "[{ id: a, limits: [{ rate: 1 }], overrides: [{ when: { a: b } }] }]",
                "[{ id: a, limits: [{ rate: 1 }], overrides: [{ when: { a: b }, window: 1s }] }]",
                "[{ id: a, limits: [{ rate: 1 }], overrides: [{ when: { a: b }, rate: 1, until: tomorrow }] }]",
                "[{ id: a, limits: [{ rate: 1 }, { rate: 1, by: a }], overrides: [{ when: { a: b }, rate: 1 }] }]",
                "[{ id: a, cost: { reserve: 1 }, limits: [{ rate: 1 }] }]",
                "[{ id: a, keep: 1, limits: [{ rate: 1 }] }]",
                "[{ id: a, limits: [{ rate: 5, keep: 1 }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: 5 }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: {} }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: -1 } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: 1.5 } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: 0 } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: 'a b' } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: answer.json.a } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: 5, default: 5 } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { default: 5 } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { settle: answer.json.a } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: a, settle: json.a } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: a, settle: answer.json. } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: a, settle: answer.json.a..b } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: a, settle: 'answer.header.a:b' } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: a, settle: answer.body } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { reserve: a, within: 5m } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { charge: often } }] }]",
                "[{ id: a, limits: [{ rate: 5, cost: { charge: always, reserve: 1 } }] }]",
                "[{ id: a, limits: [{ algorithm: leaky_bucket, rate: 5, cost: { reserve: 1 } }] }]",
                "[{ id: a, limits: [{ algorithm: concurrency, limit: 5, ttl: 1s, cost: { reserve: 1 } }] }]",
                "[{ id: a, limits: [{ rate: 5, durable: true }] }]",
                "[{ id: a, limits: [{ algorithm: fixed_window, limit: 5, window: 1d, durable: true }] }]",
                "[{ id: a, limits: [{ rate: 5, durable: 1 }] }]",
                "[{ id: a, limits: [{ rate: 5 }], overrides: [{ when: { a: b }, keep: 101% }] }]",
                "[{ id: a, limits: [{ rate: 5 }], overrides: [{ when: { a: b }, keep: '5' }] }]",
                "[{ id: a, limits: [{ rate: 5 }], overrides: [{ when: { a: b }, keep: -5 }] }]",
                "[{ resource: /a, dimensions: [{ type: a, limit: 1, window: 1s, cost: { reserve: 1 } }] }]",
                "[{ rate: 5 }]",
                "[{ resource: /a }]",
                "[{ resource: /a, dimensions: [] }]",
                "[{ resource: /a, dimensions: [{ limit: 1, window: 1s }] }]",
                "[{ resource: /a, dimensions: [{ type: a, limit: 1 }] }]",
                "[{ resource: /a, burst: 5 }]",
            })
    void refusesWhatTheParserRefuses(String document) {
        assertThat(RuleDocument.parse("f", document)).isInstanceOf(RuleDocument.Refused.class);
        assertThat(schema.accepts(JsonValues.parse(document))).isFalse();
    }

    private Map<?, ?> property(String definition, String key) {
        return Schema.map(
                Schema.map(schema.definition(definition).get("properties")).get(key));
    }

    private Object words(String definition, String key) {
        return Schema.list(property(definition, key).get("enum"));
    }

    private static Object keys(Map<?, ?> schema) {
        assertThat(schema.get("additionalProperties")).isEqualTo(false);
        return Schema.map(schema.get("properties")).keySet();
    }
}
