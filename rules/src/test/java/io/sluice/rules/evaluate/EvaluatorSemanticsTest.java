package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Label;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Explanation.Standing;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Level;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SeededRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Deny and exempt, overrides, absent attributes, shadow and candidate limits, explanations: each as the contract defines it. */
final class EvaluatorSemanticsTest {

    private static final Instant START = Instant.parse("2026-06-01T00:00:00Z");

    private final ManualClock clock = QuietClock.at(START.getEpochSecond() * 1_000_000);
    private final LocalEngine engine = new LocalEngine(clock);
    private final List<Settled> told = new ArrayList<>();
    private final AtomicReference<RuleSet> rules = new AtomicReference<>(RuleSet.none());
    private final Evaluator evaluator = new Evaluator(
            rules::get,
            new Limiter(engine, clock, List.of()),
            null,
            KeySettings.ofThisProcess(),
            clock,
            (ruling, nanos) -> told.add(ruling));

    @Test
    void denyComesBeforeExemptAndExemptBeforeLimits() {
        inForce("""
                rules:
                  - { id: one, limits: [{ limit: 1, window: 1m }] }
                  - { id: office, match: { ip: 10.0.0.0/8 }, action: exempt }
                  - { id: banned, match: { ip: [10.9.9.9, 198.51.100.0/24] }, action: deny }
                """);
        for (int i = 0; i < 5; i++) {
            Settled exempt = check(Map.of("ip", "10.1.2.3"));
            assertThat(exempt.allowed()).isTrue();
            assertThat(exempt.action()).isEqualTo(Action.EXEMPT);
            assertThat(exempt.rule().id()).isEqualTo("office");
            assertThat(exempt.reported()).isNull();
            assertThat(exempt.matched()).containsExactly("one", "office");
        }
        Settled denied = check(Map.of("ip", "10.9.9.9"));
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.action()).isEqualTo(Action.DENY);
        assertThat(denied.rule().id()).isEqualTo("banned");
        assertThat(denied.reported()).isNull();
        assertThat(denied.retryAfter()).isEmpty();
        assertThat(denied.matched()).containsExactly("one", "office", "banned");
        assertThat(check(Map.of("ip", "198.51.100.77")).allowed()).isFalse();
        assertThat(check(Map.of("ip", "192.0.2.1")).allowed()).isTrue();
        assertThat(check(Map.of("ip", "192.0.2.1")).allowed()).isFalse();
        assertThat(told).hasSize(9);
    }

    @Test
    void aClosedEngineFollowsOnFailureForLimitsOfThisProcessAlone() {
        inForce("""
                rules:
                  - { id: strict, service: a, mode: local, limits: [{ limit: 100, window: 1m }] }
                  - { id: lenient, service: b, mode: local, on_failure: open, limits: [{ limit: 100, window: 1m }] }
                """);
        assertThat(check(Map.of("service", "a")).allowed()).isTrue();
        engine.close();
        assertThat(check(Map.of("service", "a")).allowed()).isFalse();
        assertThat(check(Map.of("service", "b")).allowed()).isTrue();
    }

    @Test
    void theFirstOverrideThatMatchesReplacesTheNumbersAndKeepsTheCount() {
        inForce("""
                rules:
                  - id: orders
                    limits:
                      - { id: per-user, by: [tenant, user], limit: 2, window: 1h }
                      - { id: all, limit: 1000, window: 1h }
                    overrides:
                      - { when: { plan: vip }, of: per-user, limit: 5 }
                      - { when: { user: u-17 }, of: per-user, limit: 9, until: 2026-06-01T00:30:00Z }
                """);
        Map<String, String> plain = Map.of("tenant", "t", "user", "u-1");
        Map<String, String> vip = Map.of("tenant", "t", "user", "u-1", "plan", "vip");
        assertThat(admitted(plain, 10)).isEqualTo(2);
        assertThat(admitted(vip, 10)).as("of five, two were used before").isEqualTo(3);
        assertThat(admitted(plain, 1)).isZero();
        Map<String, String> both = Map.of("tenant", "t", "user", "u-17", "plan", "vip");
        assertThat(admitted(both, 20)).as("the first that matches").isEqualTo(5);
        Map<String, String> named = Map.of("tenant", "t", "user", "u-17");
        assertThat(admitted(named, 20)).isEqualTo(4);
        clock.advance(Duration.ofMinutes(30));
        Settled after = check(named);
        assertThat(after.allowed()).isFalse();
        assertThat(after.reported().limit().capacity())
                .as("the override has ended")
                .isEqualTo(2);
    }

    @Test
    void absentAttributesCountAsTheLimitSays() {
        inForce("""
                rules:
                  - { id: ip, service: ip, limits: [{ by: user, limit: 2, window: 1h }] }
                  - { id: share, service: share, limits: [{ by: user, absent: share, limit: 2, window: 1h }] }
                  - { id: skip, service: skip, limits: [{ by: user, absent: skip, limit: 2, window: 1h }] }
                  - id: refuse
                    service: refuse
                    limits: [{ limit: 100, window: 1h }, { id: named, by: user, absent: refuse, limit: 2, window: 1h }]
                """);
        assertThat(admitted(Map.of("service", "ip", "ip", "192.0.2.1"), 5)).isEqualTo(2);
        assertThat(admitted(Map.of("service", "ip", "ip", "192.0.2.2"), 5)).isEqualTo(2);
        assertThat(admitted(Map.of("service", "ip"), 5)).isEqualTo(2);
        assertThat(admitted(Map.of("service", "share", "ip", "192.0.2.1"), 5)).isEqualTo(2);
        assertThat(admitted(Map.of("service", "share", "ip", "192.0.2.2"), 5)).isZero();
        assertThat(admitted(Map.of("service", "skip"), 5)).isEqualTo(5);
        Settled refused = check(Map.of("service", "refuse", "ip", "192.0.2.1"));
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.reported().id()).isEqualTo("refuse.named");
        assertThat(refused.retryAfter()).as("waiting will not help").isEmpty();
        assertThat(check(Map.of("service", "refuse", "user", "u")).reported().remaining())
                .isEqualTo(1);
        assertThat(explain(Map.of("service", "refuse", "user", "v")).get(0).used())
                .as("refused requests charged nothing")
                .isEqualTo(1);
    }

    @Test
    void shadowLimitsAreCountedAndReportedAndNeverRefuse() {
        inForce("""
                rules:
                  - { id: tried, shadow: true, limits: [{ limit: 3, window: 1h }, { by: user, limit: 100, window: 1h }] }
                  - { id: live, limits: [{ limit: 6, window: 1h }] }
                """);
        for (int i = 1; i <= 6; i++) {
            Settled ruling = check(Map.of("user", "u"));
            assertThat(ruling.allowed()).isTrue();
            assertThat(ruling.reported().id()).isEqualTo("live.0");
            assertThat(shadows(ruling)).isEqualTo(i <= 3 ? List.of() : List.of("tried.0"));
        }
        Settled refused = check(Map.of("user", "u"));
        assertThat(refused.allowed()).isFalse();
        assertThat(shadows(refused)).as("would refuse too").containsExactly("tried.0");
        List<Standing> standings = explain(Map.of("user", "u"));
        assertThat(standings).extracting(Standing::id).containsExactly("tried.0", "live.0", "tried.1");
        assertThat(standings)
                .extracting(Standing::used)
                .as("all or nothing in the shadow too")
                .containsExactly(3L, 6L, 3L);
        assertThat(standings).extracting(Standing::shadow).containsExactly(true, false, true);
    }

    @Test
    void aRequestThatIsRefusedChargesNoShadow() {
        inForce("""
                rules:
                  - { id: live, limits: [{ limit: 1, window: 1h }] }
                  - { id: tried, shadow: true, limits: [{ limit: 5, window: 1h }] }
                """);
        assertThat(admitted(Map.of(), 10)).isEqualTo(1);
        assertThat(explain(Map.of())).extracting(Standing::used).containsExactly(1L, 1L);
    }

    @Test
    void candidatesAreTriedBesideTheLimitsInForce() {
        inForce("""
                rules:
                  - id: orders
                    limits: [{ by: user, limit: 5, window: 1h }]
                    candidate: [{ by: user, limit: 2, window: 1h }]
                """);
        List<List<String>> refused = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Settled ruling = check(Map.of("user", "u"));
            assertThat(ruling.allowed()).isTrue();
            refused.add(shadows(ruling));
        }
        List<String> candidate = List.of("orders.candidate-0");
        assertThat(refused).containsExactly(List.of(), List.of(), candidate, candidate, candidate);
    }

    @Test
    void looksAndExplanationsChargeNothingAndOnlyLooksNotifyTheListener() {
        inForce(
                "rules: [{ id: a, limits: [{ rate: 10/s, burst: 20 }] }, { id: b, shadow: true, limits: [{ limit: 1, window: 1h }] }]");
        Explanation explanation = explanation(Map.of(), 3);
        Settled ruling = (Settled) explanation.ruling();
        assertThat(ruling.allowed()).isTrue();
        assertThat(ruling.reported().remaining())
                .as("what a check would be told")
                .isEqualTo(17);
        assertThat(explanation.limits()).extracting(Standing::remaining).containsExactly(20L, 1L);
        assertThat(explanation.limits()).extracting(Standing::wouldAllow).containsExactly(true, false);
        assertThat(told).isEmpty();
        assertThat(settled(Map.of(), 0).allowed()).isTrue();
        assertThat(check(Map.of()).reported().remaining()).isEqualTo(19);
    }

    @Test
    void explainsEveryMatchedLimitInReportOrderWithMaskedKeysAndOverrides() {
        inForce("""
                rules:
                  - id: login
                    service: user-service
                    resource: /api/login
                    limits:
                      - { id: ip, by: ip, algorithm: sliding_log, limit: 5, window: 1m }
                      - { by: json.username, algorithm: sliding_log, limit: 3, window: 1m, privacy: hash }
                    overrides: [{ when: { ip: 192.0.2.0/24 }, of: ip, limit: 50 }]
                  - { id: user-service, service: user-service, limits: [{ rate: 2000/s }] }
                  - { id: everything, limits: [{ rate: 10000/s, burst: 20000 }] }
                """);
        Map<String, String> request = Map.of(
                "service",
                "user-service",
                "path",
                "/api/login",
                "ip",
                "192.0.2.77",
                "json.username",
                "alice@example.com");
        List<Standing> standings = explain(request);
        assertThat(standings)
                .extracting(Standing::id)
                .containsExactly("everything.0", "user-service.0", "login.ip", "login.1");
        assertThat(standings)
                .extracting(Standing::level)
                .containsExactly(Level.GLOBAL, Level.SERVICE, Level.CALLER, Level.CALLER);
        assertThat(standings).extracting(Standing::overridden).containsExactly(false, false, true, false);
        assertThat(standings.get(2).limit().capacity()).isEqualTo(50);
        assertThat(standings.get(0).limit()).isInstanceOf(TokenBucket.class);
        assertThat(standings.toString()).doesNotContain("192.0.2.77").doesNotContain("alice");
        assertThat(standings.get(3).key()).startsWith("json.username=");
    }

    @Test
    void explainsWhatWouldHaveBeenSaidWhereARuleDeniesOrExempts() {
        inForce("""
                rules:
                  - { id: a, limits: [{ limit: 5, window: 1h }] }
                  - { id: office, match: { user: root }, action: exempt }
                """);
        check(Map.of("user", "guest"));
        Explanation explanation = explanation(Map.of("user", "root"), 1);
        assertThat(((Settled) explanation.ruling()).action()).isEqualTo(Action.EXEMPT);
        assertThat(explanation.limits()).extracting(Standing::used).containsExactly(1L);
    }

    @Test
    void countsSurviveAChangeOfNumbersAndOfPositionAndStartFreshOtherwise() {
        inForce("rules: [{ id: a, limits: [{ id: u, by: user, limit: 5, window: 1h }, { limit: 100, window: 1h }] }]");
        Map<String, String> request = Map.of("user", "u");
        assertThat(admitted(request, 4)).isEqualTo(4);
        inForce("rules: [{ id: a, limits: [{ limit: 90, window: 1h }, { id: u, by: user, limit: 6, window: 1h }] }]");
        assertThat(explain(request)).extracting(Standing::used).containsExactly(4L, 4L);
        assertThat(admitted(request, 10)).isEqualTo(2);
        inForce("rules: [{ id: a, limits: [{ limit: 90, window: 1h }, { id: u, by: user, limit: 6, window: 2h }] }]");
        assertThat(explain(request)).extracting(Standing::used).containsExactly(6L, 0L);
    }

    @Test
    void namesTheBodyFieldsThatEnabledRulesNeed() {
        RuleSet set = parsed("""
                rules:
                  - { id: a, match: { json.kind: x }, limits: [{ by: [form.phone, ip], rate: 1 }] }
                  - { id: b, enabled: false, limits: [{ by: json.secret, rate: 1 }] }
                  - id: c
                    limits: [{ rate: 1 }]
                    candidate: [{ by: json.c, rate: 1 }]
                    overrides: [{ when: { json.o: x }, rate: 2 }]
                """);
        assertThat(set.bodyFields()).containsExactlyInAnyOrder("json.kind", "form.phone", "json.c", "json.o");
    }

    @Test
    void manyOverridesAreLookedUpNotSearched() {
        int many = SeededRandom.scaled(20_000, 100_000);
        StringBuilder text = new StringBuilder(
                "rules:\n  - id: a\n    limits: [{ by: user, limit: 1, window: 1h }]\n    overrides:\n");
        for (int i = 0; i < many; i++) {
            text.append("      - { when: { user: u-")
                    .append(i)
                    .append(" }, limit: ")
                    .append(2 + i % 7)
                    .append(" }\n");
        }
        inForce(text.toString());
        for (int i = 0; i < many; i += many / 10 - 27) {
            assertThat(admitted(Map.of("user", "u-" + i), 20)).isEqualTo(2 + i % 7);
        }
        assertThat(admitted(Map.of("user", "nobody"), 20)).isEqualTo(1);
    }

    private void inForce(String text) {
        rules.set(parsed(text));
    }

    private static RuleSet parsed(String text) {
        RuleDocument document = RuleDocument.parse("test.yaml", text);
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        return new RuleSet(1, ((RuleDocument.Accepted) document).rules());
    }

    private Settled check(Map<String, String> attributes) {
        return settled(attributes, 1);
    }

    private Settled settled(Map<String, String> attributes, long permits) {
        return (Settled) evaluator
                .evaluate(Attributes.of(attributes), permits)
                .toCompletableFuture()
                .join();
    }

    private int admitted(Map<String, String> attributes, int requests) {
        int admitted = 0;
        for (int i = 0; i < requests; i++) {
            admitted += check(attributes).allowed() ? 1 : 0;
        }
        return admitted;
    }

    private List<Standing> explain(Map<String, String> attributes) {
        return explanation(attributes, 1).limits();
    }

    private Explanation explanation(Map<String, String> attributes, long permits) {
        return evaluator
                .explain(Attributes.of(attributes), permits)
                .toCompletableFuture()
                .join();
    }

    private static List<String> shadows(Settled ruling) {
        return ruling.shadowRefused().stream().map(Label::limit).toList();
    }
}
