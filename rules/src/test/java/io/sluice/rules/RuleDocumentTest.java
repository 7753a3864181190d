package io.sluice.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limit;
import io.sluice.core.Limiter;
import io.sluice.core.Rate;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.rules.RuleDocument.Accepted;
import io.sluice.rules.RuleDocument.Refused;
import io.sluice.rules.yaml.DocumentError;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RuleDocumentTest {

    @Test
    void readsEveryKeyOfARule() {
        Rule rule = only("""
                rules:
                  - id: login
                    name: Logins, per address
                    enabled: false
                    service: user-service
                    resource: /api/login
                    methods: [post, PUT]
                    mode: local
                    on_failure: closed
                    local_share: 0.25
                    deadline: 5ms
                    limits:
                      - { id: slow, by: [ip, header.X-Phone], algorithm: sliding_log, limit: 5, window: 1m }
                """);

        assertThat(rule.id()).isEqualTo("login");
        assertThat(rule.name()).contains("Logins, per address");
        assertThat(rule.enabled()).isFalse();
        assertThat(rule.scope().service()).isEqualTo("user-service");
        assertThat(rule.scope().resource()).hasToString("/api/login");
        assertThat(rule.scope().methods()).isEqualTo(Set.of("POST", "PUT"));
        assertThat(rule.mode()).isEqualTo(Mode.LOCAL);
        assertThat(rule.onFailure()).isEqualTo(FailurePolicy.CLOSED);
        assertThat(rule.localShare()).isEqualTo(0.25);
        assertThat(rule.deadline()).isEqualTo(Duration.ofMillis(5));
        assertThat(rule.limits())
                .containsExactly(new RuleLimit(
                        "login.slow",
                        Limit.named("login.slow").slidingLog(5, Duration.ofMinutes(1)),
                        List.of("ip", "header.x-phone")));
    }

    @Test
    void givesDefaultsToWhatIsLeftOut() {
        Rule rule = only("rules: [{ id: a, limits: [{ rate: 10/m }] }]");

        assertThat(rule.name()).isEmpty();
        assertThat(rule.enabled()).isTrue();
        assertThat(rule.scope()).isEqualTo(Scope.EVERYTHING);
        assertThat(rule.mode()).isEqualTo(Mode.DISTRIBUTED);
        assertThat(rule.onFailure()).isEqualTo(FailurePolicy.LOCAL);
        assertThat(rule.localShare()).isEqualTo(0.5);
        assertThat(rule.deadline()).isEqualTo(Limiter.DEFAULT_DEADLINE);
        assertThat(rule.limits().get(0).limit())
                .isEqualTo(Limit.named("a").tokenBucket(Rate.perMinute(10)).withBurst(1));
        assertThat(rule.limits().get(0).id()).isEqualTo("a.0");
        assertThat(rule.limits().get(0).by()).isEmpty();
    }

    @Test
    void readsJson() {
        Rule rule = only("""
                {"rules": [{"id": "a", "limits": [{"by": "user", "rate": 5, "burst": 7}]}]}""");

        assertThat(rule.limits().get(0).limit())
                .isEqualTo(Limit.named("a").tokenBucket(Rate.perSecond(5)).withBurst(7));
    }

    @ParameterizedTest
    @CsvSource({"5, 5, 1", "5/s, 5, 1", "5/m, 5, 60", "5/h, 5, 3600", "5/d, 5, 86400", "0, 0, 1", "0/d, 0, 86400"})
    void readsRates(String text, long permits, long seconds) {
        Rule rule = only("rules: [{ id: a, limits: [{ rate: " + text + ", burst: 1 }] }]");

        assertThat(rule.limits().get(0).limit())
                .isEqualTo(Limit.named("a")
                        .tokenBucket(new Rate(permits, Duration.ofSeconds(seconds)))
                        .withBurst(1));
    }

    @ParameterizedTest
    @CsvSource({"250ms, 250", "1s, 1000", "1m, 60000", "1h, 3600000", "1d, 86400000", "1000d, 86400000000"})
    void readsDurations(String text, long millis) {
        Rule rule = only("rules: [{ id: a, limits: [{ algorithm: sliding_log, limit: 1, window: " + text + " }] }]");

        assertThat(rule.limits().get(0).limit().windowMicros()).isEqualTo(millis * 1_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10/x",
                "10/",
                "/s",
                "-1/s",
                "1.5/s",
                "0.5",
                "1e3",
                "ten",
                "10 /s",
                "10/1s",
                "99999999999999999999/s",
                "1000000001/s",
                "1000000000001/d"
            })
    void refusesImpossibleRates(String text) {
        assertThat(errors("rules:\n- id: a\n  limits:\n  - rate: " + text + "\n"))
                .singleElement()
                .asString()
                .startsWith("rules.yaml:4:11: rate: " + text + " (expected: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0s", "1", "1.5s", "-1s", "1w", "1 s", "1001d", "999999999999999d", "1S", "PT1S"})
    void refusesImpossibleDurations(String text) {
        assertThat(errors(
                        "rules:\n- id: a\n  limits:\n  - { algorithm: sliding_log, limit: 1, window: " + text + " }\n"))
                .containsExactly("rules.yaml:4:49: window: " + text
                        + " (expected: 1ms to 1000d, such as 250ms, 1s, 1m, 1h or 1d)");
    }

    @Test
    void zeroIsALegalLimitAndRate() {
        List<RuleLimit> limits = only("""
                rules:
                - id: none
                  limits:
                  - { rate: 0 }
                  - { algorithm: sliding_log, limit: 0, window: 1s }
                """).limits();

        assertThat(limits).extracting(limit -> limit.limit().capacity()).containsExactly(0L, 0L);
    }

    @Test
    void reportsAllErrorsAtOnceWithLineAndColumn() {
        assertThat(errors("""
                rules:
                  - id: "a b"
                    enabled: maybe
                    mode: global
                    on_failure: shut
                    local_share: 1.5
                    deadline: 0ms
                    resource: api/login
                    methods: ["GE T"]
                    limts: []
                    limits:
                      - { rate: 10/x }
                      - { algorithm: sliding_log, limit: 100001, window: 1s }
                      - nonsense
                  - id: b
                """))
                .containsExactly(
                        "rules.yaml:2:9: id: a b (expected: 1 to 128 letters, digits, '-', '_', '.')",
                        "rules.yaml:3:14: enabled: maybe (expected: true or false)",
                        "rules.yaml:4:11: mode: global (expected: distributed, local_distributed or local)",
                        "rules.yaml:5:17: on_failure: shut (expected: local, open or closed)",
                        "rules.yaml:6:18: local_share: 1.5 (expected: above 0, at most 1)",
                        "rules.yaml:7:15: deadline: 0ms (expected: 1ms to 60s, such as 250ms, 1s, 1m, 1h or 1d)",
                        "rules.yaml:8:15: resource: api/login"
                                + " (expected: a path such as /users/{id}/orders or /api/**)",
                        "rules.yaml:9:15: methods: GE T (expected: letters, such as GET)",
                        "rules.yaml:10:5: unknown key: limts (expected: limits, perhaps?)",
                        "rules.yaml:12:17: rate: 10/x (expected: a whole number per second, N/s, N/m, N/h or N/d)",
                        "rules.yaml:13:42: limit: 100001 (expected: 0..100000)",
                        "rules.yaml:14:9: limit: nonsense (expected: a mapping)",
                        "rules.yaml:15:5: limits: none (expected: at least one limit)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                       | 1:1: document: empty (expected: YAML or JSON)",
                "'# only a comment'       | 1:1: document: empty (expected: YAML or JSON)",
                "'[]'                     | 1:1: document: a list (expected: a mapping)",
                "'{}'                     | 1:1: rules: missing (expected: a list of rules, [] for none)",
                "'rules:'                 | 1:7: rules: nothing (expected: a list)",
                "'rules: {a: b}'          | 1:8: rules: a mapping (expected: a list)",
                "'rules: []\nrules: []'   | 2:1: duplicate key: rules (expected: once)",
                "'rules: [1]'             | 1:9: rule: 1 (expected: a mapping)",
                "'rulez: []'              | 1:1: unknown key: rulez (expected: rules, perhaps?)",
                "'[1]: 2'                 | 1:1: key: a list (expected: a word)",
            })
    void refusesDocumentsOfTheWrongShape(String text, String expected) {
        assertThat(errors(text)).contains("rules.yaml:" + expected);
    }

    @Test
    void anEmptyListOfRulesIsNoError() {
        assertThat(RuleDocument.parse("rules.yaml", "rules: []")).isEqualTo(new Accepted(List.of()));
    }

    @Test
    void locatesSyntaxErrors() {
        assertThat(errors("rules:\n  - id: a\n   limits: ]\n"))
                .singleElement()
                .asString()
                .startsWith("rules.yaml:3:4: document: ");
        assertThat(errors("{\"rules\": [}")).singleElement().asString().startsWith("rules.yaml:1:12: document: ");
        assertThat(errors("rules: []\n---\nrules: []\n"))
                .singleElement()
                .asString()
                .startsWith("rules.yaml:2:1: document: ");
        assertThat(errors("rules: []\n# \u0000\n"))
                .containsExactly("rules.yaml:2:3: character: U+0000 (expected: printable text)");
    }

    @Test
    void refusesRepeatedRuleIdsAndNamesTheOther() {
        assertThat(errors("""
                rules:
                  - { id: a, limits: [{ rate: 1 }] }
                  - { id: a, limits: [{ rate: 1 }] }
                """)).containsExactly("rules.yaml:3:11: id: a (expected: another id, line 2 has this one)");
    }

    @Test
    void refusesTwoLimitsWithTheSameCountAndAsksForAnId() {
        assertThat(errors("""
                rules:
                  - id: a
                    limits:
                      - { by: user, rate: 10/s }
                      - { by: user, rate: 100/m }
                """))
                .containsExactly(
                        "rules.yaml:5:9: limit: counts the same as the one at line 4 (expected: an id on one of them)");
    }

    @Test
    void limitsOfARuleThatCountDifferentlyNeedNoId() {
        assertThat(only("""
                rules:
                  - id: a
                    limits:
                      - { by: user, rate: 10/s }
                      - { by: user, rate: 100/m, id: slow }
                      - { by: ip, rate: 10/s }
                      - { rate: 10/s }
                      - { by: user, algorithm: sliding_log, limit: 1, window: 1m }
                      - { by: user, algorithm: sliding_log, limit: 5, window: 1h }
                """).limits()).hasSize(6);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "42", "per.user", "per user", "'a:b'"})
    void refusesLimitIdsThatWouldMakeReportsAmbiguous(String id) {
        assertThat(errors("rules: [{ id: a, limits: [{ rate: 1, id: " + id + " }] }]"))
                .singleElement()
                .asString()
                .startsWith("rules.yaml:1:42: id: ");
    }

    @Test
    void noRuleCountsTogetherWithALimitOfAnother() {
        List<Rule> rules = rules("""
                rules:
                  - { id: a, limits: [{ id: b, rate: 1 }, { rate: 1 }] }
                  - { id: a.b, limits: [{ rate: 1 }] }
                  - { id: a.b., limits: [{ rate: 1 }, { id: c, rate: 1 }] }
                  - { id: a.b..c, limits: [{ rate: 1 }] }
                """);

        assertThat(rules.stream().flatMap(rule -> rule.limits().stream()).map(limit -> limit.limit()
                        .name()))
                .doesNotHaveDuplicates();
    }

    @Test
    void countsDoNotDependOnThePositionOfALimit() {
        String log = "{ algorithm: sliding_log, limit: 1, window: 1s }";
        RuleLimit first = only("rules: [{ id: a, limits: [" + log + ", { rate: 1 }] }]")
                .limits()
                .get(0);
        RuleLimit second = only("rules: [{ id: a, limits: [{ rate: 1 }, " + log + "] }]")
                .limits()
                .get(1);

        assertThat(first.limit()).isEqualTo(second.limit());
        assertThat(first.id()).isEqualTo("a.0");
        assertThat(second.id()).isEqualTo("a.1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "action: deny",
                "protected: true",
                "shadow: true",
                "tenant: t",
                "candidate: []",
                "lease: {size: 5}",
                "guard: 1.2",
                "match: {ip: 10.0.0.0/8}",
                "overrides: []",
                "message: no",
                "labels: {a: b}",
                "dimensions: []",
                "algorithm: token_bucket",
                "rate: 100",
                "burst: 200"
            })
    void refusesWhatIsNotBuiltYet(String field) {
        String key = field.substring(0, field.indexOf(':'));
        assertThat(errors("rules:\n- id: a\n  " + field + "\n  limits: [{ rate: 1 }]\n"))
                .singleElement()
                .asString()
                .startsWith("rules.yaml:3:3: " + key + ": not supported yet (expected: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"action: limit", "protected: false", "shadow: false"})
    void acceptsDefaultsOfWhatIsNotBuiltYet(String field) {
        assertThat(rules("rules:\n- id: a\n  " + field + "\n  limits: [{ rate: 1 }]\n"))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"absent: skip", "privacy: hash", "max_wait: 1s"})
    void refusesOptionsOfLimitsThatAreNotBuiltYet(String field) {
        assertThat(errors("rules: [{ id: a, limits: [{ " + field + ", rate: 1 }] }]"))
                .singleElement()
                .asString()
                .startsWith("rules.yaml:1:29: ")
                .contains("not supported yet");
    }

    @ParameterizedTest
    @ValueSource(strings = {"leaky_bucket", "fixed_window", "sliding_window", "concurrency"})
    void refusesAlgorithmsThatAreNotBuiltYet(String algorithm) {
        assertThat(errors("rules: [{ id: a, limits: [{ algorithm: " + algorithm + ", rate: 1, capacity: 3 }] }]"))
                .containsExactly("rules.yaml:1:40: algorithm: " + algorithm
                        + " (expected: token_bucket or sliding_log; " + algorithm + " is not supported yet)");
    }

    @Test
    void refusesALimitWithoutAlgorithmBecauseItsDefaultIsNotBuiltYet() {
        assertThat(errors("rules: [{ id: a, limits: [{ limit: 1, window: 1m }] }]"))
                .containsExactly("rules.yaml:1:29: limit: without algorithm (expected: algorithm: sliding_log;"
                        + " sliding_window, the default with limit, is not supported yet)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "algorithm: tokenbucket, rate: 1 | 40: algorithm: tokenbucket (expected: token_bucket or sliding_log)",
                "algorithm: token_bucket | 27: rate: missing (expected: such as 50/s)",
                "algorithm: sliding_log, limit: 3 | 27: window: missing (expected: such as 1m)",
                "algorithm: sliding_log, window: 1s | 27: limit: missing (expected: 0..100000)",
                "rate: 1, window: 1s | 38: window: not a parameter of token_bucket (expected: rate, burst)",
                "burst: 1 | 27: limit: neither rate nor limit (expected: one of them)",
                "rate: 1, burst: -1 | 45: burst: -1 (expected: 0..1000000000000)",
                "rate: 1, burst: 1.5 | 45: burst: 1.5 (expected: 0..1000000000000)",
                "rate: 1, burst: '9' | 45: burst: \"9\" (expected: 0..1000000000000, without quotes)",
                "rate: 1, burst: 1000000000001 | 45: burst: 1000000000001 (expected: 0..1000000000000)",
                "rate: [1] | 35: rate: a list (expected: one value)",
                "rate: | 34: rate: nothing (expected: one value)",
                "rate: 1, by: [] | 42: by: an empty list (expected: at least one, or no by)",
                "rate: 1, by: [user, user] | 49: by: user twice (expected: once)",
                "rate: 1, by: [[user]] | 43: by: a list (expected: one word or a list of words)",
                "rate: 1, by: 'a b' | 42: by: a b (expected: an attribute, such as ip or user)",
                "rat: 1 | 29: unknown key: rat (expected: rate, perhaps?)",
            })
    void refusesBadLimits(String fields, String expected) {
        assertThat(errors("rules: [{ id: a, limits: [{ " + fields + " }] }]")).contains("rules.yaml:1:" + expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a/*", "/a*", "/{}", "/{a b}", "/a{b}", "/**/x", "/a?b", "/a#b", "/a b", "''"})
    void refusesBadPatterns(String pattern) {
        assertThat(errors(
                        "rules:\n- id: a\n  resource: \"" + pattern.replace("''", "") + "\"\n  limits: [{ rate: 1 }]"))
                .singleElement()
                .asString()
                .startsWith("rules.yaml:3:13: resource: ");
    }

    private static Rule only(String text) {
        List<Rule> rules = rules(text);
        assertThat(rules).hasSize(1);
        return rules.get(0);
    }

    private static List<Rule> rules(String text) {
        RuleDocument document = RuleDocument.parse("rules.yaml", text);
        assertThat(document).isInstanceOf(Accepted.class);
        return ((Accepted) document).rules();
    }

    private static List<String> errors(String text) {
        RuleDocument document = RuleDocument.parse("rules.yaml", text);
        assertThat(document).isInstanceOf(Refused.class);
        return ((Refused) document)
                .errors().stream().map(DocumentError::toString).toList();
    }
}
