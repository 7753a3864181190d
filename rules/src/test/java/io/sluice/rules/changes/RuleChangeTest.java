package io.sluice.rules.changes;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.cost.CostReader;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.Lease;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.Scope;
import io.sluice.rules.snapshot.RuleSet;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RuleChangeTest {

    private static final String LIMIT = "limits: [{ by: ip, limit: 5, window: 1m }]";

    @Test
    void nothingChangedIsNothing() {
        assertThat(changes("[{ id: a, " + LIMIT + " }]", "- " + LIMIT + "\n  id: a"))
                .isEmpty();
        assertThat(changes("[]", "[]")).isEmpty();
    }

    @Test
    void rulesComeAndGo() {
        String before = "[{ id: a, " + LIMIT + " }, { id: b, action: deny }]";
        String after = """
                - { id: b, action: deny }
                - { id: c, limits: [{ rate: 1 }, { by: user, rate: 1 }] }
                - { id: d, limits: [{ rate: 1 }], enabled: false, shadow: true }
                - { id: e, action: exempt }
                - { id: f, action: deny }
                """;
        assertThat(changes(before, after))
                .containsExactly(
                        "c: added (2 limits)",
                        "d: added, disabled, in shadow (1 limit)",
                        "e: added (exempts)",
                        "f: added (denies)",
                        "a: removed");
    }

    @Test
    void anotherOrderIsSaidOnce() {
        String a = "{ id: a, action: deny }";
        String b = "{ id: b, action: deny }";
        String c = "{ id: c, action: deny }";

        assertThat(changes("[" + a + "," + b + "," + c + "]", "[" + c + "," + b + "," + a + "]"))
                .containsExactly("the order of rules changed");
        assertThat(changes("[" + a + "," + c + "]", "[" + a + "," + b + "," + c + "]"))
                .containsExactly("b: added (denies)");
        assertThat(changes("[" + a + "," + b + "," + c + "]", "[" + c + "," + a + "]"))
                .containsExactly("b: removed", "the order of rules changed");
    }

    static Stream<Arguments> limits() {
        return Stream.of(
                // Changes that keep the counts.
                of(
                        "{ by: ip, limit: 5, window: 1m }",
                        "{ by: ip, limit: 10, window: 1m }",
                        "limit by ip 5 per 1m → 10 per 1m"),
                of("{ rate: 50/s }", "{ rate: 60/s }", "limit 50/s → 60/s"),
                of(
                        "{ rate: 50/s }",
                        "{ rate: 50/s, cost: { reserve: json.n, default: 5, settle: answer.json.n, within: 1m } }",
                        "limit cost added (reserve json.n, default 5, settle answer.json.n, within 1m)"),
                of("{ rate: 50/s, cost: { charge: always } }", "{ rate: 50/s }", "limit cost removed (charge always)"),
                of(
                        "{ id: x, rate: 50/s, cost: { reserve: json.n, default: 5 } }",
                        "{ id: x, rate: 50/s, cost: { reserve: json.n, default: 6, settle: answer.json.n } }",
                        "limit x cost default 5 → 6, settle none → answer.json.n, within none → 5m"),
                of(
                        "{ rate: 50/s, cost: { reserve: json.n, default: 1, settle: answer.json.n } }",
                        "{ rate: 50/s, cost: { reserve: 5, settle: answer.json.n, within: 1h } }",
                        "limit cost reserve json.n → 5, default 1 → none, within 5m → 1h"),
                of(
                        "{ rate: 50/s, cost: { reserve: '5' } }",
                        "{ rate: 50/s, cost: { reserve: 5 } }",
                        "limit cost reserve \"5\" → 5"),
                of(
                        "{ algorithm: fixed_window, limit: 5, align: day }",
                        "{ algorithm: fixed_window, limit: 5, align: day, durable: true }",
                        "limit now durable"),
                of(
                        "{ algorithm: fixed_window, limit: 5, align: day, durable: true }",
                        "{ algorithm: fixed_window, limit: 5, align: day }",
                        "limit no longer durable"),
                of("{ rate: 50/s }", "{ rate: 50/s, burst: 100 }", "limit 50/s → 50/s, burst 100"),
                of("{ rate: 50/s }", "{ rate: 50/s, max_wait: 2s }", "limit 50/s → 50/s, max_wait 2s"),
                of("{ rate: 60/m, burst: 2 }", "{ rate: 1/s, burst: 2 }", "limit 60/m, burst 2 → 1/s, burst 2"),
                of(
                        "{ algorithm: leaky_bucket, rate: 10/s }",
                        "{ algorithm: leaky_bucket, rate: 10/s, capacity: 20 }",
                        "limit 10/s, capacity 10, max_wait 1s → 10/s, capacity 20, max_wait 2s"),
                of(
                        "{ id: open, algorithm: concurrency, limit: 5, ttl: 1m }",
                        "{ id: open, algorithm: concurrency, limit: 5, ttl: 2m }",
                        "limit open 5 at once, ttl 1m → 5 at once, ttl 2m"),
                of(
                        "{ limit: 5, window: 1m }",
                        "{ limit: 5, window: 1m, weighted: true }",
                        "limit 5 per 1m → 5 per 1m, weighted"),
                of(
                        "{ algorithm: fixed_window, limit: 5, align: day }",
                        "{ algorithm: fixed_window, limit: 6, align: day }",
                        "limit 5 per day in UTC → 6 per day in UTC"),
                of(
                        "{ by: user, limit: 5, window: 1m }",
                        "{ by: user, limit: 5, window: 1m, absent: refuse }",
                        "limit by user absent ip → refuse"),
                of(
                        "{ by: { attribute: user, otherwise: ip }, limit: 5, window: 1m }",
                        "{ by: user, limit: 5, window: 1m }",
                        "limit by user otherwise by ip → none"),
                // Changes that reset the counts.
                of(
                        "{ id: per-user, by: user, limit: 5, window: 1m }",
                        "{ id: per-user, by: user, limit: 5, window: 1h }",
                        "counts of per-user start fresh (window 1m → 1h)"),
                of(
                        "{ by: ip, limit: 5, window: 1m }",
                        "{ by: ip, limit: 9, window: 1h }",
                        "counts of the limit by ip start fresh (window 1m → 1h, limit 5 → 9)"),
                of(
                        "{ by: ip, limit: 5, window: 1m }",
                        "{ by: user, limit: 5, window: 1m }",
                        "counts of the limit by ip start fresh (by ip → user)"),
                of(
                        "{ by: [tenant, user], limit: 5, window: 1m }",
                        "{ by: [user, tenant], limit: 5, window: 1m }",
                        "counts of the limit by tenant, user start fresh (by tenant, user → user, tenant)"),
                of(
                        "{ limit: 5, window: 1m }",
                        "{ by: user, limit: 5, window: 1m }",
                        "counts of the limit start fresh (by none → user)"),
                of(
                        "{ by: ip, limit: 5, window: 1m }",
                        "{ id: x, by: ip, limit: 5, window: 1m }",
                        "counts of the limit by ip start fresh (id none → x)"),
                of(
                        "{ limit: 5, window: 1m }",
                        "{ limit: 5, window: 1m, slices: 20 }",
                        "counts of the limit start fresh (slices 10 → 20)"),
                of(
                        "{ limit: 5, window: 1m }",
                        "{ algorithm: sliding_log, limit: 5, window: 1m }",
                        "counts of the limit start fresh (sliding_window 5 per 1m → sliding_log 5 per 1m)"),
                of(
                        "{ id: x, limit: 5, window: 1m }",
                        "{ id: x, by: user, rate: 5/m }",
                        "counts of x start fresh (sliding_window 5 per 1m → token_bucket 5/m, by none → user)"),
                of(
                        "{ algorithm: fixed_window, limit: 5, align: day }",
                        "{ algorithm: fixed_window, limit: 5, align: day, zone: Asia/Shanghai }",
                        "counts of the limit start fresh (window day in UTC → day in Asia/Shanghai)"),
                of(
                        "{ algorithm: fixed_window, limit: 5, align: day }",
                        "{ algorithm: fixed_window, limit: 5, window: 1d }",
                        "counts of the limit start fresh (window day in UTC → 1d)"),
                of(
                        "{ by: user, limit: 5, window: 1m }",
                        "{ by: user, limit: 5, window: 1m, privacy: hash }",
                        "counts of the limit by user start fresh (privacy plain → hash)"),
                of(
                        "{ by: json.user, limit: 5, window: 1m }",
                        "{ by: json.user, limit: 5, window: 1m, unread: absent }",
                        "limit by json.user unread refuse → absent"));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void aChangedLimitSaysWhetherItsCountsSurvive(String before, String after, String sentence) {
        assertThat(changes(rule("limits: [" + before + "]"), rule("limits: [" + after + "]")))
                .containsExactly("a: " + sentence);
        List<String> candidates = changes(
                rule("limits: [{ rate: 1 }], candidate: [" + before + "]"),
                rule("limits: [{ rate: 1 }], candidate: [" + after + "]"));
        assertThat(candidates).singleElement().asString().contains("candidate");
    }

    /** The sentences and the engines must agree on which counts survive. */
    @ParameterizedTest
    @MethodSource("limits")
    void countsStartFreshExactlyIfTheyAreFiledElsewhere(String before, String after, String sentence) {
        RuleLimit old =
                set(rule("limits: [" + before + "]")).rules().get(0).limits().get(0);
        RuleLimit now =
                set(rule("limits: [" + after + "]")).rules().get(0).limits().get(0);
        boolean same = old.limit().name().equals(now.limit().name())
                && old.limit().shape().equals(now.limit().shape())
                && attributes(old).equals(attributes(now))
                && old.privacy() == now.privacy();

        assertThat(sentence.startsWith("counts of")).isEqualTo(!same);
        assertThat(RuleChange.between(set(rule("limits: [" + before + "]")), set(rule("limits: [" + after + "]"))))
                .allMatch(change -> change instanceof RuleChange.StartsFresh == !same);
    }

    static Stream<Arguments> newCounts() {
        String both = " the old and the new limit can both be used";
        return Stream.of(
                of("{ limit: 5, window: 1m }", "{ limit: 5, window: 1h }", "for one window (1m)" + both),
                of(
                        "{ algorithm: fixed_window, limit: 5, align: day, zone: Asia/Shanghai }",
                        "{ limit: 5, window: 1m }",
                        "until the day ends (Asia/Shanghai)" + both),
                of(
                        "{ rate: 50/s, burst: 100 }",
                        "{ id: x, rate: 60/s, burst: 100 }",
                        "for the time in which the old bucket would have filled up (2s)" + both
                                + "; the new bucket starts full, with a burst of 100"),
                of(
                        "{ algorithm: leaky_bucket, rate: 10/s, capacity: 20 }",
                        "{ limit: 5, window: 1m }",
                        "for the time in which the old queue drains (2s)" + both),
                of(
                        "{ algorithm: leaky_bucket, rate: 10/s, capacity: 0 }",
                        "{ limit: 5, window: 1m }",
                        "at the moment of the change" + both),
                of(
                        "{ algorithm: concurrency, limit: 5, ttl: 30s }",
                        "{ algorithm: concurrency, by: user, limit: 5, ttl: 30s }",
                        "it does not know the permits that are held, so until they are released, at most for 30s unless"
                                + " they are renewed," + both),
                of(
                        "{ limit: 0, window: 1m }",
                        "{ limit: 5, window: 1h }",
                        "the old limit let nothing pass, so only the new one can be used"),
                of(
                        "{ limit: 5, window: 1m }",
                        "{ rate: 0 }",
                        "the new limit lets nothing pass, so nothing more can be used"));
    }

    @ParameterizedTest
    @MethodSource("newCounts")
    void aLimitThatStartsANewCountSaysWhatThatMeans(String before, String after, String sentence) {
        assertThat(forCounts(rule("limits: [" + before + "]"), rule("limits: [" + after + "]")))
                .containsExactly("starts a new count: " + sentence);
    }

    @Test
    void onlyANewCountOfALimitThatRefusesMattersToCallers() {
        String old = "limits: [{ limit: 5, window: 1m }]";
        String now = "limits: [{ limit: 5, window: 1h }]";
        String silent = "starts a new count: it refuses nothing, so only its reports start anew";

        assertThat(forCounts(rule(old), rule("limits: [{ limit: 9, window: 1m }]")))
                .isEmpty();
        assertThat(forCounts(rule(old + ", shadow: true"), rule(now + ", shadow: true")))
                .containsExactly(silent);
        assertThat(forCounts(
                        rule("limits: [{ rate: 1 }], candidate: [{ limit: 5, window: 1m }]"),
                        rule("limits: [{ rate: 1 }], candidate: [{ limit: 5, window: 1h }]")))
                .containsExactly(silent);
        assertThat(forCounts(rule(old + ", shadow: true"), rule(now)))
                .containsExactly("starts a new count: the old limit refused nothing, so only the new one matters");
    }

    private static List<String> forCounts(String before, String after) {
        return RuleChange.between(set(before), set(after)).stream()
                .flatMap(change -> change.forCounts().stream())
                .toList();
    }

    @Test
    void limitsComeGoAndMove() {
        String phone = "{ by: header.x-phone, limit: 1, window: 1m }";
        String hour = "{ by: header.x-phone, limit: 5, window: 1h }";
        String day = "{ by: header.x-phone, limit: 10, window: 1d }";

        assertThat(changes(limits(phone, day), limits(phone, hour, day)))
                .containsExactly("a: limit by header.x-phone added (5 per 1h)");
        assertThat(changes(limits(phone, hour, day), limits(hour, day)))
                .containsExactly("a: limit by header.x-phone removed (1 per 1m)");
        assertThat(changes(limits(phone, hour), limits(hour, phone))).containsExactly("a: the order of limits changed");
        assertThat(changes(
                        limits(phone, hour, day), limits(phone, "{ by: header.x-phone, limit: 6, window: 1h }", day)))
                .containsExactly("a: limit by header.x-phone 5 per 1h → 6 per 1h");
        assertThat(changes(limits(phone, hour), limits(phone, "{ by: header.x-phone, limit: 5, window: 2h }")))
                .containsExactly("a: counts of the limit by header.x-phone start fresh (window 1h → 2h)");
    }

    static Stream<Arguments> settings() {
        return Stream.of(
                of("", "enabled: false", "now disabled"),
                of("enabled: false", "", "now enabled"),
                of("", "shadow: true", "now in shadow, refuses no requests"),
                of("shadow: true", "", "no longer in shadow, refuses requests"),
                of("", "for: early", "for requests → early"),
                of("for: code", "", "for code → requests"),
                of("", "service: orders", "service any → orders"),
                of("resource: /a", "resource: /b/**", "resource /a → /b/**"),
                of("resource: /a", "", "resource /a → any"),
                of("methods: [POST]", "methods: [GET, post]", "methods POST → GET, POST"),
                of("", "match: { ip: 10.0.0.0/8 }", "match ip any → 10.0.0.0/8"),
                of("match: { plan: [vip, x] }", "match: { plan: vip }", "match plan vip, x → vip"),
                of(
                        "match: { user: [a, b, c, d] }",
                        "match: { user: [b, c, d, e, f] }",
                        "match user 2 added (e, f), 1 removed (a)"),
                of("", "mode: local", "mode distributed → local (with a shared store, counts start fresh)"),
                of("", "mode: local_distributed", "mode distributed → local_distributed"),
                of("mode: local_distributed", "mode: local_distributed, lease: { size: 10 }", "lease size auto → 10"),
                of(
                        "mode: local_distributed",
                        "mode: local_distributed, lease: { share: 0.5 }",
                        "lease share 0.1 → 0.5"),
                of("mode: local_distributed", "mode: local_distributed, lease: { ttl: 2s }", "lease ttl 1s → 2s"),
                of("", "on_failure: closed", "on_failure local → closed"),
                of("", "local_share: 0.3", "local_share by nodes → 0.3"),
                of("", "deadline: 50ms", "deadline 20ms → 50ms"),
                of("", "guard: 1.2", "guard off → 1.2"),
                of(
                        "envoy: { domain: d, path: [{ key: a }] }",
                        "envoy: { domain: d, path: [{ key: b }] }",
                        "envoy {domain=d, path=[{key=a}]} → {domain=d, path=[{key=b}]}"),
                of("", "name: none", "name none → none"),
                of("", "tenant: acme", "tenant none → acme"),
                of("", "protected: true", "now protected"),
                of("protected: true", "", "no longer protected"),
                of("message: a", "message: b", "message a → b"),
                of("message: { en: a }", "message: { en: a, zh: b }", "message zh none → b"),
                of("labels: { team: x }", "labels: { team: y }", "label team x → y"),
                of("", "labels: { team: x }", "label team none → x"));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void aChangedSettingIsSaidInWords(String before, String after, String sentence) {
        assertThat(changes(withSettings(before), withSettings(after))).containsExactly("a: " + sentence);
    }

    @Test
    void anotherActionIsSaidWithWhatGoesWithIt() {
        assertThat(changes("[{ id: a, " + LIMIT + " }]", "[{ id: a, action: deny }]"))
                .containsExactly("a: action limit → deny", "a: limit by ip removed (5 per 1m)");
    }

    static Stream<Arguments> overrides() {
        String vip = "{ when: { plan: vip }, rate: 200/s, burst: 400 }";
        String user = "{ when: { user: u-17 }, rate: 500/s }";
        return Stream.of(
                of("", vip, "override of limit by user for plan vip added (200/s, burst 400)"),
                of(vip, "", "override of limit by user for plan vip removed (200/s, burst 400)"),
                of("", "{ when: { plan: vip }, keep: 20% }", "override of limit by user for plan vip added (keep 20%)"),
                of(
                        "{ when: { plan: vip }, rate: 60/s, keep: 20 }",
                        "",
                        "override of limit by user for plan vip removed (60/s, burst 100, keep 20)"),
                of(
                        "{ when: { plan: vip }, keep: 20% }",
                        "{ when: { plan: vip }, keep: 20 }", "override of limit by user for plan vip: keep 20% → 20"),
                of(
                        vip,
                        "{ when: { plan: vip }, rate: 200/s, burst: 400, keep: 5% }",
                        "override of limit by user for plan vip: keep nothing → 5%"),
                of(
                        vip,
                        "{ when: { plan: vip }, rate: 300/s, burst: 400 }",
                        "override of limit by user for plan vip: 200/s, burst 400 → 300/s, burst 400"),
                of(
                        user,
                        "{ when: { user: u-17 }, rate: 500/s, until: 2027-01-01T00:00:00Z }",
                        "override of limit by user for user u-17: until always → 2027-01-01T00:00:00Z"),
                of(
                        vip + "," + user,
                        user + "," + vip,
                        "the order of overrides changed (the first that matches applies)"),
                of(
                        "",
                        "{ when: { plan: vip, app: [a, b, c, d, e] }, rate: 1, until: 2027-01-01T00:00:00Z }",
                        "override of limit by user for app a, b, c, d and 1 more and plan vip added (1/s, burst 100,"
                                + " until 2027-01-01T00:00:00Z)"));
    }

    @ParameterizedTest
    @MethodSource("overrides")
    void aChangedOverrideIsSaidInWords(String before, String after, String sentence) {
        String limit = "limits: [{ by: user, rate: 50/s, burst: 100 }], overrides: ";
        assertThat(changes(rule(limit + "[" + before + "]"), rule(limit + "[" + after + "]")))
                .containsExactly("a: " + sentence);
    }

    @Test
    void anOverrideThatOnlyKeepsFollowsItsLimit() {
        String keep = "overrides: [{ when: { plan: free }, keep: 20% }]";

        assertThat(changes(rule("limits: [{ rate: 50/s }], " + keep), rule("limits: [{ rate: 60/s }], " + keep)))
                .containsExactly("a: limit 50/s → 60/s");
    }

    @Test
    void anAddedLimitIsSaidWithItsCost() {
        String budget =
                "{ id: b, algorithm: fixed_window, limit: 9, align: month, durable: true, cost: { reserve: 2 } }";

        assertThat(changes(limits("{ rate: 1 }"), limits("{ rate: 1 }", budget)))
                .containsExactly("a: limit b added (9 per month in UTC, cost reserve 2, durable)");
    }

    @Test
    void overridesStayWithTheirLimitWhenLimitsMove() {
        String one = "{ id: x, by: user, limit: 5, window: 1m }";
        String two = "{ id: y, by: ip, limit: 5, window: 1m }";
        String overrides = "overrides: [{ when: { plan: vip }, of: x, limit: 9 }]";

        assertThat(changes(
                        rule("limits: [" + one + "," + two + "], " + overrides),
                        rule("limits: [" + two + "," + one + "], " + overrides)))
                .containsExactly("a: the order of limits changed");
        assertThat(changes(
                        rule("limits: [" + one + "," + two + "], " + overrides),
                        rule("limits: [{ id: x, by: user, limit: 5, window: 1h }," + two + "], " + overrides)))
                .containsExactly("a: counts of x start fresh (window 1m → 1h)");
    }

    @Test
    void aSummaryIsShort() {
        StringBuilder rules = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            rules.append("- { id: r").append(i).append(", action: deny }\n");
        }
        List<RuleChange> changes = RuleChange.between(RuleSet.none(), set(rules.toString()));

        assertThat(RuleChange.summary(changes.subList(0, 2))).isEqualTo("r0: added (denies); r1: added (denies)");
        assertThat(RuleChange.summary(changes)).endsWith("r4: added (denies); and 15 more changes");
        assertThat(RuleChange.summary(List.of())).isEqualTo("the same rules");
    }

    @Test
    void aSentenceHasNoControlCharactersAndIsNotEndless() {
        String before = "[{ id: a, action: deny, match: { user: \"a\\nb\\e[31m\" } }]";
        String after = "[{ id: a, action: deny, match: { user: " + "x".repeat(10_000) + " } }]";

        assertThat(changes(before, after))
                .singleElement()
                .asString()
                .hasSizeLessThan(200)
                .matches("a: match user a\\\\u000ab\\\\u001b\\[31m → x{60}…");
    }

    /** Compares each of several sets with each: there are sentences exactly if the digests differ. */
    @Test
    void thereIsSomethingToSayExactlyIfTheDigestsDiffer() {
        List<RuleSet> sets = new ArrayList<>();
        settings().forEach(each -> {
            sets.add(set(withSettings((String) each.get()[0])));
            sets.add(set(withSettings((String) each.get()[1])));
        });
        limits().forEach(each -> {
            sets.add(set(rule("limits: [" + each.get()[0] + "]")));
            sets.add(set(rule("limits: [" + each.get()[1] + "]")));
        });
        overrides().forEach(each -> {
            String limit = "limits: [{ by: user, rate: 50/s, burst: 100 }], overrides: ";
            sets.add(set(rule(limit + "[" + each.get()[0] + "]")));
            sets.add(set(rule(limit + "[" + each.get()[1] + "]")));
        });
        sets.add(RuleSet.none());
        for (RuleSet one : sets) {
            for (RuleSet other : sets) {
                assertThat(RuleChange.between(one, other).isEmpty())
                        .as(() -> RuleJson.document(one.rules()) + RuleJson.document(other.rules()))
                        .isEqualTo(one.digest().equals(other.digest()));
            }
        }
    }

    /** Fails if a new part of a rule has no words yet. Add the words and a case above. */
    @Test
    void everyPartOfARuleHasItsWords() {
        assertThat(components(Rule.class))
                .containsExactlyInAnyOrder(
                        "id",
                        "enabled",
                        "action",
                        "scope",
                        "shadow",
                        "limits",
                        "candidate",
                        "overrides",
                        "handling",
                        "use",
                        "about",
                        "protocol");
        assertThat(components(Scope.class)).containsExactlyInAnyOrder("service", "resource", "methods", "match");
        assertThat(components(Handling.class))
                .containsExactlyInAnyOrder("mode", "lease", "onFailure", "localShare", "deadline", "guard");
        assertThat(components(Lease.class)).containsExactlyInAnyOrder("size", "share", "ttl");
        assertThat(components(RuleDescription.class))
                .containsExactlyInAnyOrder("name", "tenant", "isProtected", "message", "labels");
        assertThat(components(RuleLimit.class))
                .containsExactlyInAnyOrder("id", "limit", "by", "absent", "unread", "privacy", "cost", "durable");
        assertThat(components(By.class)).containsExactlyInAnyOrder("attribute", "otherwise");
        assertThat(components(LimitOverride.class))
                .containsExactlyInAnyOrder("when", "limit", "numbers", "keep", "until");
        assertThat(CostReader.KEYS).containsExactly("reserve", "default", "settle", "within", "charge");
    }

    private static Set<String> components(Class<?> type) {
        return new TreeSet<>(Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getName)
                .toList());
    }

    private static Arguments of(String before, String after, String sentence) {
        return Arguments.of(before, after, sentence);
    }

    private static List<String> attributes(RuleLimit limit) {
        return limit.by().stream().map(By::attribute).toList();
    }

    private static String limits(String... limits) {
        return rule("limits: [" + String.join(", ", limits) + "]");
    }

    private static String withSettings(String settings) {
        return rule(LIMIT + (settings.isEmpty() ? "" : ", " + settings));
    }

    private static String rule(String content) {
        return "[{ id: a, " + content + " }]";
    }

    private static List<String> changes(String before, String after) {
        return RuleChange.between(set(before), set(after)).stream()
                .map(Object::toString)
                .toList();
    }

    private static RuleSet set(String text) {
        RuleDocument document = RuleDocument.parse("t", text);
        assertThat(document).as(text).isInstanceOf(RuleDocument.Accepted.class);
        return new RuleSet(1, ((RuleDocument.Accepted) document).rules());
    }
}
