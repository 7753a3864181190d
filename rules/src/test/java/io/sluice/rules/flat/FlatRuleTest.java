package io.sluice.rules.flat;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.rules.document.RandomRules;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Lease;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Rule;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.testkit.SeededRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlatRuleTest {

    private static final Map<String, String> LOGIN = Map.of(
            "id", "login",
            "ruleName", "Log in",
            "limitType", "INTERFACE",
            "limitTarget", "user-service:/api/login",
            "limitCount", "5",
            "timeWindow", "60",
            "enabled", "true",
            "strategy", "SLIDING_LOG",
            "mode", "DISTRIBUTED");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        GLOBAL    | GLOBAL                  | {"id":"r","limits":[{"algorithm":"fixed_window","limit":10,"window":"2s"}]}
        SERVICE   | user-service            | {"id":"r","service":"user-service","limits":[{"algorithm":"fixed_window","limit":10,"window":"2s"}]}
        SERVICE   | *                       | {"id":"r","limits":[{"by":"service","algorithm":"fixed_window","limit":10,"window":"2s"}]}
        INTERFACE | user-service:/api/login | {"id":"r","service":"user-service","resource":"/api/login","limits":[{"algorithm":"fixed_window","limit":10,"window":"2s"}]}
        INTERFACE | user-service:*          | {"id":"r","service":"user-service","limits":[{"by":"path","algorithm":"fixed_window","limit":10,"window":"2s"}]}
        INTERFACE | *                       | {"id":"r","limits":[{"by":["service","path"],"algorithm":"fixed_window","limit":10,"window":"2s"}]}
        IP        | 203.0.113.7             | {"id":"r","match":{"ip":"203.0.113.7"},"limits":[{"algorithm":"fixed_window","limit":10,"window":"2s"}]}
        IP        | *                       | {"id":"r","limits":[{"by":"ip","algorithm":"fixed_window","limit":10,"window":"2s"}]}
        USER      | *                       | {"id":"r","limits":[{"by":"user","algorithm":"fixed_window","limit":10,"window":"2s"}]}
        TENANT    | acme                    | {"id":"r","match":{"tenant":"acme"},"limits":[{"algorithm":"fixed_window","limit":10,"window":"2s"}]}
        CUSTOM    | header.x-phone:*        | {"id":"r","limits":[{"by":"header.x-phone","algorithm":"fixed_window","limit":10,"window":"2s"}]}
        """)
    void readsEveryTypeOfTarget(String type, String target, String same) {
        Map<String, String> fields = Map.of(
                "id",
                "r",
                "limitType",
                type,
                "limitTarget",
                target,
                "limitCount",
                "10",
                "timeWindow",
                "2",
                "strategy",
                "FIXED_WINDOW");
        assertThat(read(fields)).isEqualTo(rule(same));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        TOKEN_BUCKET   | 100 | 1    | {"algorithm":"token_bucket","rate":"100/s","burst":100}
        TOKEN_BUCKET   | 100 | 60   | {"algorithm":"token_bucket","rate":"100/m","burst":100}
        TOKEN_BUCKET   | 100 | 30   | {"algorithm":"token_bucket","rate":"100/30s","burst":100}
        TOKEN_BUCKET   | 1   | 7200 | {"algorithm":"token_bucket","rate":"1/7200s","burst":1}
        LEAKY_BUCKET   | 10  | 1    | {"algorithm":"leaky_bucket","rate":"10/s","capacity":10}
        SLIDING_WINDOW | 10  | 60   | {"algorithm":"sliding_window","limit":10,"window":"60s"}
        SLIDING_LOG    | 10  | 60   | {"algorithm":"sliding_log","limit":10,"window":"60s"}
        CONCURRENCY    | 10  | 60   | {"algorithm":"concurrency","limit":10,"ttl":"60s"}
        TOKEN_BUCKET   | 0   | 1    | {"algorithm":"token_bucket","rate":"0/s"}
        """)
    void readsEveryStrategy(String strategy, String count, String seconds, String limit) {
        Map<String, String> fields = Map.of(
                "id",
                "r",
                "limitType",
                "GLOBAL",
                "limitTarget",
                "GLOBAL",
                "limitCount",
                count,
                "timeWindow",
                seconds,
                "strategy",
                strategy);
        assertThat(read(fields)).isEqualTo(rule("{\"id\":\"r\",\"limits\":[" + limit + "]}"));
    }

    @Test
    void refillsARateThatIsNoWholeNumberAsItSays() {
        Limit limit = read(with(Map.of("strategy", "TOKEN_BUCKET", "limitCount", "3", "timeWindow", "7")))
                .limits()
                .get(0)
                .limit();
        assertThat(limit.capacity()).isEqualTo(3);
        assertThat(limit.windowMicros()).isEqualTo(7_000_000);
    }

    @Test
    void leasesInBatchesOfItsSize() {
        Rule rule = read(with(Map.of("mode", "LOCAL_DISTRIBUTED", "batchSize", "100")));
        assertThat(rule.handling().mode()).isEqualTo(Mode.LOCAL_DISTRIBUTED);
        assertThat(rule.handling().lease().size()).isEqualTo(OptionalLong.of(100));
        assertThat(read(with(Map.of("batchSize", "100"))).handling().lease()).isEqualTo(Lease.DEFAULT);
    }

    @Test
    void mayBeDisabled() {
        assertThat(read(with(Map.of("enabled", "false"))).enabled()).isFalse();
        assertThat(read(LOGIN).enabled()).isTrue();
    }

    @Test
    void believesTheDocumentWhereThereIsOne() {
        Rule rule = read(with(Map.of("document", "{\"id\": \"other\", \"limits\": [{\"rate\": \"1/s\"}]}")));
        assertThat(rule.id()).isEqualTo("other");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        id          | ''          | id: missing (expected: a non-empty value)
        limitType   | PHONE       | limitType: "PHONE" (expected: GLOBAL, SERVICE, INTERFACE, IP, USER, TENANT or CUSTOM)
        limitTarget | api         | limitTarget: "api" (expected: service:path, such as orders:/api/orders)
        limitCount  | -1          | limitCount: "-1" (expected: a whole number, 0 or more, of at most 13 digits)
        limitCount  | 99999999999999 | limitCount: "99999999999999" (expected: a whole number, 0 or more, of at most 13 digits)
        timeWindow  | 0           | timeWindow: "0" (expected: at least 1, in seconds)
        strategy    | GUESS       | strategy: "GUESS" (expected: TOKEN_BUCKET, LEAKY_BUCKET, FIXED_WINDOW, SLIDING_WINDOW, SLIDING_LOG or CONCURRENCY)
        mode        | FAR         | mode: "FAR" (expected: DISTRIBUTED, LOCAL_DISTRIBUTED or LOCAL)
        enabled     | perhaps     | enabled: "perhaps" (expected: true or false)
        batchSize   | many        | batchSize: "many" (expected: a whole number, 0 or more, of at most 13 digits)
        """)
    void saysWhatIsWrong(String field, String value, String message) {
        assertThat(FlatRule.read("rate_limit_config:X", with(Map.of(field, value))))
                .isInstanceOfSatisfying(RuleDocument.Refused.class, refused -> assertThat(refused.errors())
                        .containsExactly(DocumentError.of("rate_limit_config:X", message)));
    }

    @Test
    void refusesFieldsThatItDoesNotKnow() {
        assertThat(FlatRule.read("k", with(Map.of("limitcount", "5"))))
                .isInstanceOfSatisfying(RuleDocument.Refused.class, refused -> assertThat(
                                refused.errors().get(0).message())
                        .startsWith("limitcount: \"5\" (expected: one of id, "));
    }

    private static Map<String, String> with(Map<String, String> other) {
        Map<String, String> fields = new HashMap<>(LOGIN);
        fields.putAll(other);
        return fields;
    }

    private static Rule read(Map<String, String> fields) {
        return only(FlatRule.read("k", fields));
    }

    private static Rule rule(String json) {
        return only(RuleDocument.parseRule("same", json));
    }

    private static Rule only(RuleDocument document) {
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        return ((RuleDocument.Accepted) document).rules().get(0);
    }

    @Test
    void everyRuleCanBeWrittenAndIsReadAsTheSame() {
        RandomRules random = new RandomRules(SeededRandom.of("flat rules"));
        for (int i = 0; i < 2_000; i++) {
            Rule rule = random.next();
            assertThat(FlatRule.read("r", FlatRule.write(rule))).isEqualTo(new RuleDocument.Accepted(List.of(rule)));
        }
    }

    @Test
    void writesWhatItReadsWithoutADocument() {
        RuleDocument login = FlatRule.read("login", LOGIN);
        assertThat(FlatRule.write(((RuleDocument.Accepted) login).rules().get(0)))
                .isEqualTo(LOGIN);
    }
}
