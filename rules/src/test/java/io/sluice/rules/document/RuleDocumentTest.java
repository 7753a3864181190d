package io.sluice.rules.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.document.RuleDocument.Refused;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.Lease;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Message;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.Scope;
import io.sluice.rules.model.UnreadPolicy;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.rules.yaml.DocumentError;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
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
                    tenant: acme
                    enabled: false
                    action: limit
                    protected: true
                    shadow: true
                    service: user-service
                    resource: /api/login
                    methods: [post, PUT]
                    match: { ip: [10.0.0.0/8, 192.0.2.1], header.X-App: 'shop-*' }
                    mode: local_distributed
                    lease: { size: 50, share: 0.2, ttl: 2s }
                    on_failure: closed
                    local_share: 0.25
                    deadline: 5ms
                    guard: 1.2
                    message: { en: Slow down, zh: 请稍候 }
                    labels: { team: accounts, level: 1 }
                    limits:
                      - id: slow
                        by: [ip, header.X-Phone]
                        absent: skip
                        unread: absent
                        privacy: hash
                        algorithm: sliding_log
                        limit: 5
                        window: 1m
                    candidate:
                      - { rate: 1/m }
                    overrides:
                      - { when: { plan: vip }, limit: 50, until: 2027-01-01T08:00:00+08:00 }
                """);

        Limit slow = Limit.named("login.slow").slidingLog(5, Duration.ofMinutes(1));
        RuleLimit limit = new RuleLimit(
                "login.slow",
                slow,
                List.of(By.attribute("ip"), By.attribute("header.x-phone")),
                AbsentPolicy.SKIP,
                UnreadPolicy.ABSENT,
                Privacy.HASH);
        RuleLimit tried = new RuleLimit(
                "login.candidate-0",
                Limit.named("login.candidate").tokenBucket(Rate.perMinute(1)),
                List.of(),
                AbsentPolicy.IP,
                Privacy.PLAIN);
        assertThat(rule)
                .isEqualTo(new Rule(
                        "login",
                        false,
                        Action.LIMIT,
                        new Scope(
                                "user-service",
                                PathPattern.of("/api/login"),
                                Set.of("POST", "PUT"),
                                Map.of(
                                        "ip", Condition.parse("ip", List.of("10.0.0.0/8", "192.0.2.1")),
                                        "header.x-app", Condition.parse("header.x-app", List.of("shop-*")))),
                        true,
                        List.of(limit),
                        List.of(tried),
                        List.of(new LimitOverride(
                                Map.of("plan", Condition.parse("plan", List.of("vip"))),
                                0,
                                Limit.named("login.slow").slidingLog(50, Duration.ofMinutes(1)),
                                Optional.of(Instant.parse("2027-01-01T00:00:00Z")))),
                        new Handling(
                                Mode.LOCAL_DISTRIBUTED,
                                new Lease(OptionalLong.of(50), 0.2, Duration.ofSeconds(2)),
                                FailurePolicy.CLOSED,
                                OptionalDouble.of(0.25),
                                Duration.ofMillis(5),
                                OptionalDouble.of(1.2)),
                        new RuleDescription(
                                Optional.of("Logins, per address"),
                                Optional.of("acme"),
                                true,
                                Optional.of(new Message(Map.of("en", "Slow down", "zh", "请稍候"))),
                                Map.of("team", "accounts", "level", "1"))));
    }

    @Test
    void givesDefaultsToWhatIsLeftOut() {
        Rule rule = only("rules: [{ id: a, limits: [{ rate: 10/m }] }]");

        assertThat(rule)
                .isEqualTo(new Rule(
                        "a",
                        true,
                        Action.LIMIT,
                        Scope.EVERYTHING,
                        false,
                        List.of(new RuleLimit(
                                "a.0",
                                Limit.named("a").tokenBucket(Rate.perMinute(10)).withBurst(1),
                                List.of(),
                                AbsentPolicy.IP,
                                Privacy.PLAIN)),
                        List.of(),
                        List.of(),
                        Handling.DEFAULT,
                        RuleDescription.NOTHING));
        assertThat(rule.handling().mode()).isEqualTo(Mode.DISTRIBUTED);
        assertThat(rule.handling().onFailure()).isEqualTo(FailurePolicy.LOCAL);
        assertThat(rule.handling().deadline()).isEqualTo(Limiter.DEFAULT_DEADLINE);
        assertThat(rule.handling().lease()).isEqualTo(new Lease(OptionalLong.empty(), 0.1, Duration.ofSeconds(1)));
    }

    @Test
    void readsEveryAlgorithmWithItsDefaults() {
        List<RuleLimit> limits = only("""
                rules:
                  - id: a
                    limits:
                      - { rate: 50/s }
                      - { id: patient, rate: 50/s, burst: 100, max_wait: 250ms }
                      - { algorithm: leaky_bucket, rate: 10/s }
                      - { id: queue, algorithm: leaky_bucket, rate: 10/s, capacity: 5, max_wait: 1s }
                      - { algorithm: fixed_window, limit: 5, window: 1h }
                      - { algorithm: fixed_window, limit: 5, align: day }
                      - { algorithm: fixed_window, limit: 5, align: month, zone: Europe/Berlin }
                      - { limit: 5, window: 1m }
                      - { algorithm: sliding_window, limit: 5, window: 1h, slices: 60, weighted: true }
                      - { algorithm: sliding_log, limit: 5, window: 1m }
                      - { algorithm: concurrency, limit: 5, ttl: 30s }
                """).limits();

        Limit.Named a = Limit.named("a");
        assertThat(limits)
                .extracting(RuleLimit::limit)
                .containsExactly(
                        a.tokenBucket(Rate.perSecond(50)).withBurst(50),
                        Limit.named("a.patient")
                                .tokenBucket(Rate.perSecond(50))
                                .withBurst(100)
                                .withMaxWait(Duration.ofMillis(250)),
                        a.leakyBucket(Rate.perSecond(10)).withCapacity(10).withMaxWait(Duration.ofSeconds(1)),
                        Limit.named("a.queue")
                                .leakyBucket(Rate.perSecond(10))
                                .withCapacity(5)
                                .withMaxWait(Duration.ofSeconds(1)),
                        a.fixedWindow(5, Duration.ofHours(1)),
                        a.fixedWindow(5, Calendar.DAY, ZoneId.of("UTC")),
                        a.fixedWindow(5, Calendar.MONTH, ZoneId.of("Europe/Berlin")),
                        a.slidingWindow(5, Duration.ofMinutes(1)).withSlices(10),
                        a.slidingWindow(5, Duration.ofHours(1)).withSlices(60).asEstimate(),
                        a.slidingLog(5, Duration.ofMinutes(1)),
                        a.concurrency(5, Duration.ofSeconds(30)));
        assertThat(limits).extracting(RuleLimit::id).startsWith("a.0", "a.patient", "a.2", "a.queue", "a.4");
    }

    @ParameterizedTest
    @ValueSource(strings = {"exempt", "deny"})
    void exemptAndDenyNeedNoLimits(String action) {
        Rule rule = only("rules: [{ id: a, match: { ip: 10.0.0.0/8 }, limits: [], action: " + action + " }]");

        assertThat(rule.action().word()).isEqualTo(action);
        assertThat(rule.limits()).isEmpty();
    }

    @Test
    void exemptAndDenyTakeNothingThatSpeaksOfCounting() {
        assertThat(errors("""
                rules:
                  - id: a
                    action: deny
                    shadow: true
                    mode: local
                    deadline: 5ms
                    rate: 5
                    limits: [{ rate: 1 }]
                    overrides: [{ when: { plan: vip }, rate: 3 }]
                """))
                .containsExactly(
                        "rules.yaml:4:5: shadow: not allowed with action deny (expected: false)",
                        "rules.yaml:5:5: mode: not allowed with action deny (expected: none; such a rule counts nothing)",
                        "rules.yaml:6:5: deadline: not allowed with action deny (expected: none; such a rule counts nothing)",
                        "rules.yaml:7:5: rate: not allowed with action deny (expected: none; such a rule counts nothing)",
                        "rules.yaml:8:5: limits: not allowed with action deny (expected: none; such a rule counts nothing)",
                        "rules.yaml:9:5: overrides: not allowed with action deny (expected: none; such a rule counts nothing)");
    }

    @Test
    void readsJson() {
        Rule rule = only("""
                {"rules": [{"id": "a", "limits": [{"by": "user", "rate": 5, "burst": 7}]}]}""");

        assertThat(rule.limits().get(0).limit())
                .isEqualTo(Limit.named("a").tokenBucket(Rate.perSecond(5)).withBurst(7));
    }

    @ParameterizedTest
    @CsvSource({
        "5, 5, 1",
        "5/s, 5, 1",
        "5/m, 5, 60",
        "5/h, 5, 3600",
        "5/d, 5, 86400",
        "0, 0, 1",
        "0/d, 0, 86400",
        "3/10s, 3, 10",
        "5/1s, 5, 1"
    })
    void readsRates(String text, long permits, long seconds) {
        Rule rule = only("rules: [{ id: a, limits: [{ rate: " + text + ", burst: 1 }] }]");

        assertThat(rule.limits().get(0).limit())
                .isEqualTo(Limit.named("a")
                        .tokenBucket(new Rate(permits, Duration.ofSeconds(seconds)))
                        .withBurst(1));
    }

    @Test
    void readsFractionsOfAMillisecond() {
        assertThat(only("rules: [{ id: a, limits: [{ limit: 1, window: 250us }] }]")
                        .limits()
                        .get(0)
                        .limit()
                        .windowMicros())
                .isEqualTo(250);
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
                "10/s/s",
                "10/0s",
                "10/1w",
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
                        "rules.yaml:2:9: id: a b (expected: 1 to 128 letters, digits, '-', '_' or '.')",
                        "rules.yaml:3:14: enabled: maybe (expected: true or false)",
                        "rules.yaml:4:11: mode: global (expected: distributed, local_distributed or local)",
                        "rules.yaml:5:17: on_failure: shut (expected: local, open or closed)",
                        "rules.yaml:6:18: local_share: 1.5 (expected: more than 0 and at most 1, such as 0.5)",
                        "rules.yaml:7:15: deadline: 0ms (expected: 1ms to 1m, such as 250ms, 1s, 1m, 1h or 1d)",
                        "rules.yaml:8:15: resource: api/login"
                                + " (expected: a path such as /users/{id}/orders or /api/**)",
                        "rules.yaml:9:15: methods: GE T (expected: a method name such as GET)",
                        "rules.yaml:10:5: unknown key: limts (expected: a known key; did you mean limits?)",
                        "rules.yaml:12:17: rate: 10/x (expected: a rate such as 50/s, 5/m, 100/h or 1000/d, or a whole number per second)",
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
                "'[1]'                    | 1:2: rule: 1 (expected: a mapping)",
                "'hello'                  | 1:1: document: hello (expected: a mapping)",
                "'---'                    | 1:1: document: empty (expected: YAML or JSON)",
                "'null'                   | 1:1: document: empty (expected: YAML or JSON)",
                "'{}'                     | 1:1: rules: missing (expected: a list of rules, [] for none)",
                "'rules:'                 | 1:7: rules: nothing (expected: a list)",
                "'rules: {a: b}'          | 1:8: rules: a mapping (expected: a list)",
                "'rules: []\nrules: []'   | 2:1: duplicate key: rules (expected: each key once)",
                "'rules: [1]'             | 1:9: rule: 1 (expected: a mapping)",
                "'rulez: []'              | 1:1: unknown key: rulez (expected: a known key; did you mean rules?)",
                "'[1]: 2'                 | 1:1: key: a list (expected: a plain word)",
            })
    void refusesDocumentsOfTheWrongShape(String text, String expected) {
        assertThat(errors(text)).contains("rules.yaml:" + expected);
    }

    @Test
    void anEmptyListOfRulesIsNoError() {
        assertThat(RuleDocument.parse("rules.yaml", "rules: []")).isEqualTo(new Accepted(List.of()));
        assertThat(RuleDocument.parse("rules.yaml", "[]")).isEqualTo(new Accepted(List.of()));
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
                """)).containsExactly("rules.yaml:3:11: id: a (expected: another id; line 2 has this one)");
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
                        "rules.yaml:5:9: limit: has the same count as the limit at line 4 (expected: an id on one of the two)");
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
    @ValueSource(strings = {"1", "42", "per.user", "per user", "'a:b'", "candidate", "candidate-x"})
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
                  - { id: a.candidate, limits: [{ rate: 1 }, { id: b, rate: 1 }] }
                  - id: a.candidate-b
                    limits: [{ rate: 1 }]
                    candidate: [{ rate: 1 }, { id: b, rate: 1 }, { id: candidates, rate: 1 }]
                  - id: x
                    limits: [{ rate: 1 }, { id: b, rate: 1 }, { id: candidates, rate: 1 }, { limit: 1, window: 1s }]
                    candidate: [{ rate: 1 }, { id: b, rate: 1 }, { limit: 1, window: 1s }]
                """);

        List<RuleLimit> limits = rules.stream()
                .flatMap(rule -> Stream.concat(rule.limits().stream(), rule.candidate().stream()))
                .toList();
        assertThat(limits.stream()
                        .map(limit -> limit.limit().name() + " " + limit.limit().shape()))
                .doesNotHaveDuplicates();
        assertThat(limits.stream().map(RuleLimit::id)).doesNotHaveDuplicates();
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
    @CsvSource(
            delimiter = '|',
            value = {
                "algorithm: tokenbucket, rate: 1 | 40: algorithm: tokenbucket (expected: token_bucket, leaky_bucket, fixed_window,"
                        + " sliding_window, sliding_log or concurrency)",
                "algorithm: token_bucket | 27: rate: missing (expected: a rate such as 50/s)",
                "algorithm: sliding_log, limit: 3 | 27: window: missing (expected: a duration such as 1m)",
                "algorithm: sliding_log, window: 1s | 27: limit: missing (expected: 0..100000)",
                "rate: 1, window: 1s | 38: window: not a parameter of token_bucket (expected: rate, burst, max_wait)",
                "burst: 1 | 27: limit: neither rate nor limit (expected: one of the two, such as rate: 50/s)",
                "rate: 1, burst: -1 | 45: burst: -1 (expected: 0..1000000000000)",
                "rate: 1, burst: 1.5 | 45: burst: 1.5 (expected: 0..1000000000000)",
                "rate: 1, burst: '9' | 45: burst: \"9\" (expected: 0..1000000000000, without quotes)",
                "rate: 1, burst: 1000000000001 | 45: burst: 1000000000001 (expected: 0..1000000000000)",
                "rate: [1] | 35: rate: a list (expected: a single value)",
                "rate: | 34: rate: nothing (expected: a single value)",
                "rate: 1, by: [] | 42: by: an empty list (expected: at least one, or no by)",
                "rate: 1, by: [user, user] | 49: by: user is listed twice (expected: once)",
                "rate: 1, by: [[user]] | 43: by: a list (expected: an attribute, such as ip or user)",
                "rate: 1, limit: 1 | 27: limit: both rate and limit (expected: one of the two, such as rate: 50/s)",
                "rate: 1, absent: skip | 38: absent: set without by (expected: an attribute to count by, such as by: ip)",
                "rate: 1, privacy: hash | 38: privacy: set without by (expected: an attribute to count by, such as by: ip)",
                "rate: 1, by: ip, absent: never | 54: absent: never (expected: ip, share, skip or refuse)",
                "rate: 1, max_wait: never | 48: max_wait: never (expected: 1ms to 1000d, such as 250ms, 1s, 1m, 1h or 1d)",
                "limit: 1, window: 1s, align: day | 51: align: not a parameter of sliding_window (expected: limit, window, slices, weighted)",
                "limit: 1, window: 1s, slices: 1001 | 59: slices: 1001 (expected: 1..1000)",
                "limit: 1, window: 5us, slices: 6 | 27: slices: 6 (expected: 1..5)",
                "algorithm: fixed_window, limit: 1 | 27: window: missing (expected: either window, such as 1m, or align, such as day)",
                "algorithm: fixed_window, limit: 1, window: 1s, align: day | 83: align: set together with window (expected: either window, such as 1m, or align, such as day)",
                "algorithm: fixed_window, limit: 1, align: hour | 71: align: hour (expected: day, week, month or year)",
                "algorithm: fixed_window, limit: 1, window: 1s, zone: UTC | 76: zone: set without align (expected: align: day, week, month or year)",
                "algorithm: fixed_window, limit: 1, align: day, zone: Mars | 82: zone: Mars (expected: a time zone such as UTC, Europe/Berlin or +08:00)",
                "algorithm: concurrency, limit: 1 | 27: ttl: missing (expected: a duration such as 1m)",
                "algorithm: concurrency, limit: 100001, ttl: 1s | 60: limit: 100001 (expected: 0..100000)",
                "algorithm: leaky_bucket, rate: 1, capacity: 1000000000000 | 73: capacity: 1000000000000 (expected: 0..999999999999)",
                "rate: 1, by: {attribute: a, other: b} | 57: unknown key: other (expected: a known key; did you mean otherwise?)",
                "rate: 1, by: {otherwise: b} | 42: attribute: missing (expected: an attribute, such as ip or user)",
                "rate: 1, by: 'a b' | 42: by: a b (expected: an attribute, such as ip or user)",
                "rat: 1 | 29: unknown key: rat (expected: a known key; did you mean rate?)",
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lease: { size: 5 } | lease: not allowed with mode distributed (expected: mode: local_distributed, the only mode that takes leases)",
                "mode: local, lease: {} | lease: not allowed with mode local (expected: mode: local_distributed, the only mode that takes leases)",
                "mode: local, guard: 1.2 | guard: not allowed with mode local (expected: mode distributed or local_distributed; local has no store to guard)",
                "guard: 0.9 | guard: 0.9 (expected: off, or 1 to 1000)",
                "guard: NaN | guard: NaN (expected: off, or 1 to 1000)",
                "mode: local_distributed, lease: { size: 0 } | size: 0 (expected: 1..1000000000)",
                "mode: local_distributed, lease: { size: big } | size: big (expected: 1..1000000000)",
                "mode: local_distributed, lease: { share: 0 } | share: 0 (expected: more than 0 and at most 1, such as 0.5)",
                "mode: local_distributed, lease: { ttl: 2h } | ttl: 2h (expected: 1ms to 1h, such as 250ms, 1s, 1m, 1h or 1d)",
                "mode: local_distributed, lease: 5 | lease: 5 (expected: a mapping)",
                "local_share: 0 | local_share: 0 (expected: more than 0 and at most 1, such as 0.5)",
                "deadline: 61s | deadline: 61s (expected: 1ms to 1m, such as 250ms, 1s, 1m, 1h or 1d)",
                "deadline: 999us | deadline: 999us (expected: 1ms to 1m, such as 250ms, 1s, 1m, 1h or 1d)",
                "service: '' | service:  (expected: 1 to 256 printable characters)",
                "service: a, match: { service: b } | match: service set together with service (expected: one of the two)",
                "resource: /a, match: { path: /b } | match: path set together with resource (expected: one of the two)",
                "methods: GET, match: { method: PUT } | match: method set together with methods (expected: one of the two)",
                "match: {} | match: empty (expected: at least one condition, such as plan: vip)",
                "match: [ip] | match: a list (expected: a mapping)",
                "match: { user: } | match.user: nothing (expected: a value or a list of values)",
                "match: { user: {a: b} } | match.user: a mapping (expected: a value or a list of values)",
                "match: { 'a b': c } | match: a b (expected: an attribute, such as ip or user)",
                "match: { header.X: a, header.x: b } | match: header.x is listed twice (expected: once)",
                "match: { user: a, user: b } | duplicate key: user (expected: each key once)",
                "match: { ip: 10.0.0.0/40 } | match.ip: 10.0.0.0/40 (expected: a prefix length of 0..32)",
                "tenant: ' ' | tenant:   (expected: 1 to 256 printable characters)",
                "message: {} | message: empty (expected: a text, or a mapping with texts for en and zh)",
                "message: { en: yes, fr: non } | unknown key: fr (expected: one of en, zh)",
                "message: [a] | message: a list (expected: a single value)",
                "labels: { a: [b] } | labels: a list (expected: 1 to 256 printable characters)",
                "labels: [a] | labels: a list (expected: a mapping)",
                "rate: 5 | rate: on the rule, beside limits (expected: inside one of the limits)",
                "dimensions: [] | dimensions: on the rule, beside limits (expected: inside one of the limits)",
                "action: ban | action: ban (expected: limit, exempt or deny)",
                "candidate: [{ rate: 1, id: x }, { rate: 2, id: x }] | id: x (expected: another id; line 3 has this one)",
                "candidate: { rate: 1 } | candidate: a mapping (expected: a list)",
                "limts: [] | unknown key: limts (expected: a known key; did you mean limits?)",
            })
    void refusesWhatARuleCannotSay(String fields, String expected) {
        assertThat(errors("rules:\n- limits: [{ rate: 1 }]\n  "
                        + fields.replace(", match", "\n  match")
                                .replace(", lease", "\n  lease")
                                .replace(", guard", "\n  guard")
                        + "\n  id: a\n"))
                .singleElement()
                .asString()
                .endsWith(": " + expected);
    }

    @Test
    void namesEveryBadValueOfACondition() {
        assertThat(errors("""
                rules:
                  - id: a
                    action: deny
                    match: { ip: [10.0.0.1, nowhere, 10.0.0.2, 1.2.3.4.5] }
                """))
                .containsExactly(
                        "rules.yaml:4:29: match.ip: nowhere (expected: an address, or a network such as 10.0.0.0/8 or"
                                + " 2001:db8::/32)",
                        "rules.yaml:4:48: match.ip: 1.2.3.4.5 (expected: an address, or a network such as 10.0.0.0/8"
                                + " or 2001:db8::/32)");
    }

    @Test
    void refusesMoreLimitsThanADecisionShouldHave() {
        String limits = "{ rate: 1, by: u }, ".repeat(101).replace("by: u", "id: x");
        assertThat(errors("rules: [{ id: a, limits: [" + limits + "] }]"))
                .contains("rules.yaml:1:26: limits: 101 entries (expected: at most 100)");
    }

    @Test
    void offAndAutoAreWordsForTheDefaults() {
        Rule rule = only(
                "rules: [{ id: a, mode: local_distributed, guard: off, lease: { size: auto }, limits: [{ rate: 1 }] }]");

        assertThat(rule.handling().guard()).isEmpty();
        assertThat(rule.handling().lease()).isEqualTo(Lease.DEFAULT);
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
