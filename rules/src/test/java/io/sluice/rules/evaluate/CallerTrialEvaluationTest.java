package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.adjust.AdjustedRules;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.adjust.Caller;
import io.sluice.rules.adjust.CallerOverride;
import io.sluice.rules.caller.CallerKey;
import io.sluice.rules.caller.CallerKeys;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.CallerPlace;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Some callers get a version on trial, all others the one in force. */
class CallerTrialEvaluationTest {

    private static final String KEY = "0123456789abcdef";

    private final ManualClock clock = QuietClock.at(1_700_000_000_000_000L);
    private final Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());
    private final KeySecret secret = KeySecret.random();
    private RuleSet inForce = RuleSet.none();
    private final Evaluator evaluator =
            new Evaluator(() -> inForce, limiter, null, new KeySettings(secret, 64), clock, (ruling, nanos) -> {});

    @Test
    void aCallerSeesOneVersionOnly() {
        tryBy("user", 20, "rules: [{ id: a, limits: [{ by: user, limit: 2, window: 1h }] }]", "limit: 2", "limit: 5");

        Map<String, Set<Long>> seen = new HashMap<>();
        Map<String, Integer> admitted = new HashMap<>();
        for (int i = 0; i < 10; i++) {
            for (int user = 0; user < 200; user++) {
                Settled ruling = settled(Map.of("user", "u-" + user, "ip", "203.0.113." + i));
                seen.computeIfAbsent("u-" + user, name -> new HashSet<>()).add(ruling.ruleVersion());
                admitted.merge("u-" + user, ruling.allowed() ? 1 : 0, Integer::sum);
                CallerPlace place = Objects.requireNonNull(ruling.place());
                assertThat(place.trial()).isEqualTo(13);
                assertThat(place.onTrial()).isEqualTo(ruling.ruleVersion() == 13);
            }
        }

        assertThat(seen.values()).allSatisfy(versions -> assertThat(versions).hasSize(1));
        assertThat(seen.values()).contains(Set.of(12L), Set.of(13L));
        seen.forEach((user, versions) -> assertThat(admitted.get(user)).isEqualTo(versions.contains(13L) ? 5 : 2));
    }

    @Test
    void everybodyGetsTheVersionInForceWhileBothSidesAreWatched() {
        tryBy("user", 50, "rules: [{ id: a, limits: [{ by: user, limit: 2, window: 1h }] }]", "limit: 2", "limit: 5");
        CallerTrial trial = Objects.requireNonNull(inForce.trial());
        inForce = inForce.trying(new CallerTrial(trial.rules(), trial.split().watching()));

        Set<Boolean> sides = new HashSet<>();
        for (int user = 0; user < 50; user++) {
            Settled ruling = settled(Map.of("user", "u-" + user));
            assertThat(ruling.ruleVersion()).isEqualTo(12);
            sides.add(Objects.requireNonNull(ruling.place()).onTrial());
        }
        assertThat(sides).containsExactlyInAnyOrder(true, false);
    }

    @Test
    void aRequestWithoutTheAttributeGetsTheVersionInForce() {
        tryBy("user", 99, "rules: [{ id: a, limits: [{ by: user, limit: 2, window: 1h }] }]", "limit: 2", "limit: 5");

        Settled ruling = settled(Map.of("ip", "203.0.113.1"));

        assertThat(ruling.ruleVersion()).isEqualTo(12);
        assertThat(ruling.place()).isNull();
    }

    @Test
    void addressesOfOneNetworkAreOneCaller() {
        tryBy("ip", 50, "rules: [{ id: a, limits: [{ by: ip, limit: 2, window: 1h }] }]", "limit: 2", "limit: 5");

        Set<Long> versions = new HashSet<>();
        for (int network = 0; network < 50; network++) {
            Set<CallerPlace> places = new HashSet<>();
            for (int host = 1; host < 5; host++) {
                Settled ruling = settled(Map.of("ip", "2001:db8:0:" + network + "::" + host));
                places.add(ruling.place());
                versions.add(ruling.ruleVersion());
            }
            assertThat(places).hasSize(1);
        }
        assertThat(versions).containsExactlyInAnyOrder(12L, 13L);
    }

    @Test
    void readsTheFieldsOfBothVersions() {
        String rules =
                "rules: [{ id: a, service: s, limits: [{ by: [user, header.x-a, query.a, json.a], limit: 2, window: 1h }] }]";
        tryBy("user", 50, rules, "[user, header.x-a, query.a, json.a]", "[user, header.x-b, query.b, json.b]");

        assertThat(inForce.headerFields()).contains("header.x-a", "header.x-b");
        assertThat(inForce.queryFields()).contains("query.a", "query.b");
        assertThat(inForce.bodyFields()).contains("json.a", "json.b");
        Attributes known = Attributes.of(Map.of("service", "s", "user", onTrial(true)));
        assertThat(inForce.bodyFields(known)).contains("json.a", "json.b");
        assertThat(evaluator.rules(known).requiredFields(known)).containsExactly("json.b");
        Attributes other = Attributes.of(Map.of("service", "s", "user", onTrial(false)));
        assertThat(evaluator.rules(other).requiredFields(other)).containsExactly("json.a");
    }

    @Test
    void aNewRuleIsForThoseOnTrialAlone() {
        tryBy("user", 50, "rules: []", "rules: []", "rules: [{ id: ban, match: { method: PUT }, action: deny }]");

        assertThat(inForce.hasScopes()).isTrue();
        assertThat(settled(Map.of("user", onTrial(true), "method", "PUT")).allowed())
                .isFalse();
        assertThat(settled(Map.of("user", onTrial(false), "method", "PUT")).allowed())
                .isTrue();
    }

    @Test
    void namedRulesAreThoseOfTheCallersVersion() {
        tryBy(
                "user",
                50,
                "rules: [{ id: a, for: code, limits: [{ by: user, limit: 2, window: 1h }] }]",
                "limit: 2",
                "limit: 5");
        Rule named = inForce.rule("a").orElseThrow();

        assertThat(admittedNamed(named, onTrial(true))).isEqualTo(5);
        assertThat(admittedNamed(named, onTrial(false))).isEqualTo(2);
    }

    @Test
    void earlyRulesAreThoseOfTheCallersVersion() {
        tryBy(
                "ip",
                50,
                "rules: [{ id: a, for: early, limits: [{ by: ip, limit: 2, window: 1h }] }]",
                "limit: 2",
                "limit: 5");
        Map<Integer, Long> admitted = new HashMap<>();
        for (int host = 1; host < 100; host++) {
            Attributes request = Attributes.of(Map.of("ip", "203.0.113." + host));
            int count = 0;
            for (int i = 0; i < 10; i++) {
                EarlyRuling early =
                        evaluator.evaluateEarly(request).toCompletableFuture().join();
                count += early.ruling()
                                .map(ruling -> ((Settled) ruling).allowed())
                                .orElse(true)
                        ? 1
                        : 0;
            }
            admitted.merge(count, 1L, Long::sum);
        }

        assertThat(admitted.keySet()).containsExactlyInAnyOrder(2, 5);
    }

    @Test
    void anOverrideByHashIsForOneCaller() {
        RuleSet set = rules(12, "rules: [{ id: a, limits: [{ by: user, limit: 2, window: 1h, privacy: hash }] }]");
        Attributes caller = Attributes.of(Map.of("user", "u-17"));
        CallerKey.Of key = (CallerKey.Of)
                new CallerKeys(secret, 64).key(List.of(By.attribute("user")), AbsentPolicy.IP, Privacy.HASH, caller);
        Instant now = Instant.ofEpochMilli(clock.epochMicros() / 1_000);
        inForce = AdjustedRules.of(
                        set,
                        new Adjustments(
                                1,
                                List.of(new CallerOverride(
                                        "o-1",
                                        "a",
                                        "a.0",
                                        new Caller.ByHash(key.text().substring(2)),
                                        "{\"limit\":5}",
                                        now.plus(Duration.ofHours(2)))),
                                List.of()),
                        now)
                .rules();

        assertThat(admitted("u-17")).isEqualTo(5);
        assertThat(admitted("u-18")).isEqualTo(2);
        clock.advance(Duration.ofHours(3));
        assertThat(admitted("u-17")).isEqualTo(2);
    }

    private int admitted(String user) {
        int admitted = 0;
        for (int i = 0; i < 10; i++) {
            admitted += settled(Map.of("user", user)).allowed() ? 1 : 0;
        }
        return admitted;
    }

    private int admittedNamed(Rule rule, String user) {
        int admitted = 0;
        for (int i = 0; i < 10; i++) {
            RuleCall call = new RuleCall(rule, Attributes.of(Map.of("user", user)), 1);
            Settled ruling = (Settled)
                    evaluator.evaluateNamed(List.of(call)).toCompletableFuture().join();
            admitted += ruling.allowed() ? 1 : 0;
        }
        return admitted;
    }

    /** Returns a user that is on trial, or one that is not. */
    private String onTrial(boolean wanted) {
        CallerSplit split = Objects.requireNonNull(inForce.trial()).split();
        int i = 0;
        while (split.place("u-" + i, 13).onTrial() != wanted) {
            i++;
        }
        return "u-" + i;
    }

    private void tryBy(String attribute, int percent, String text, String old, String now) {
        RuleSet trial = rules(13, text.replace(old, now));
        inForce = rules(12, text).trying(new CallerTrial(trial, CallerSplit.share(attribute, KEY, percent)));
    }

    private Settled settled(Map<String, String> request) {
        return (Settled) evaluator
                .evaluate(Attributes.of(request), 1)
                .toCompletableFuture()
                .join();
    }

    private static RuleSet rules(long version, String text) {
        RuleDocument document = RuleDocument.parse("rules.yaml", text);
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        return new RuleSet(version, ((RuleDocument.Accepted) document).rules());
    }
}
