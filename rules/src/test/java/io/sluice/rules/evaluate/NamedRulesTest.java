package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Label;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Ruling.Impossible;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules that the caller names have the same semantics as rules that match, whatever their scope. */
final class NamedRulesTest {

    private final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    private final Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
    private final Limiter shared = new Limiter(new LocalEngine(clock), clock, List.of());
    private final List<Settled> told = new ArrayList<>();

    private RuleSet set = RuleSet.none();

    private final Evaluator inProcess = evaluator(null);
    private final Evaluator withStore = evaluator(shared);

    @Test
    void aNamedRuleAppliesWhateverItsScopeAndNoOtherDoes() {
        inForce("""
                rules:
                  - { id: named, service: elsewhere, resource: /x, methods: [PUT], limits: [{ by: key, limit: 2, window: 1m }] }
                  - { id: everything, limits: [{ limit: 0, window: 1m }] }
                  - { id: banned, match: { key: a }, action: deny }
                """);
        assertThat(admitted(inProcess, 5, claim("named", "a"))).isEqualTo(2);
        Settled refused = settled(inProcess, claim("named", "a"));
        assertThat(refused.matched()).containsExactly("named");
        assertThat(refused.rule().id()).isEqualTo("named");
        assertThat(refused.reported().id()).isEqualTo("named.0");
        assertThat(refused.retryAfter()).isPresent();
        assertThat(refused.ruleVersion()).isEqualTo(7);
        assertThat(admitted(inProcess, 5, claim("named", "b"))).isEqualTo(2);
        assertThat(told).hasSize(11);
    }

    @Test
    void aListenerLearnsTheRequestOfTheRuleThatRefused() {
        inForce("""
                rules:
                  - { id: users, limits: [{ by: key, limit: 9, window: 1m }] }
                  - { id: orders, limits: [{ by: key, limit: 1, window: 1m }] }
                """);
        List<String> refused = new ArrayList<>();
        Evaluator listened =
                new Evaluator(() -> set, local, null, KeySettings.ofThisProcess(), clock, new RulingListener() {
                    @Override
                    public void ruled(Settled ruling, long elapsedNanos) {
                        throw new AssertionError("a ruling comes with its request");
                    }

                    @Override
                    public void ruled(Attributes request, Settled ruling, long elapsedNanos) {
                        if (!ruling.allowed()) {
                            refused.add(ruling.rule().id() + " " + request.get("key"));
                        }
                    }
                });
        for (int i = 0; i < 2; i++) {
            var unused = ruling(listened, claim("users", "alice"), claim("orders", "order-7"));
        }
        assertThat(refused).containsExactly("orders order-7");
    }

    @Test
    void findsRulesByTheirIdDisabledOnesToo() {
        inForce("""
                rules:
                  - { id: a, limits: [{ rate: 1 }] }
                  - { id: b, enabled: false, limits: [{ limit: 0, window: 1m }] }
                """);
        assertThat(set.rule("a").orElseThrow()).isSameAs(set.rules().get(0));
        assertThat(set.rule("b").orElseThrow().enabled()).isFalse();
        assertThat(set.rule("c")).isEmpty();
        assertThat(set.numbered(8).rule("a")).isPresent();
        Settled ruling = settled(inProcess, claim("b", "x"));
        assertThat(ruling.allowed()).as("applies to nothing").isTrue();
        assertThat(ruling.matched()).isEmpty();
    }

    @Test
    void denyComesBeforeExemptAndExemptBeforeLimits() {
        inForce("""
                rules:
                  - { id: none, limits: [{ limit: 0, window: 1m }] }
                  - { id: office, match: { ip: 10.0.0.0/8 }, action: exempt }
                  - { id: banned, match: { ip: 10.0.0.1 }, action: deny }
                """);
        assertThat(settled(inProcess, claim("none", "a")).allowed()).isFalse();
        Settled exempt = settled(inProcess, claim("none", "a"), claim("office", "a"));
        assertThat(exempt.allowed()).isTrue();
        assertThat(exempt.action()).isEqualTo(Action.EXEMPT);
        Settled denied = settled(inProcess, claim("banned", "a"), claim("office", "a"));
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.action()).isEqualTo(Action.DENY);
        assertThat(told).hasSize(3);
    }

    @Test
    void allClaimsAreOneDecisionEachWithItsOwnKeyAndPermits() {
        inForce("""
                rules:
                  - { id: calls, limits: [{ by: key, limit: 10, window: 1m }] }
                  - { id: bytes, limits: [{ by: key, limit: 100, window: 1m }] }
                """);
        RuleCall call = claim("calls", "alice");
        assertThat(settled(inProcess, call, claim("bytes", "disk", 60)).allowed())
                .isTrue();
        Settled refused = settled(inProcess, call, claim("bytes", "disk", 60));
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.reported().id()).isEqualTo("bytes.0");
        assertThat(settled(inProcess, call).reported().remaining())
                .as("a refused call charged nothing: one before it and itself")
                .isEqualTo(8);
        assertThat(settled(inProcess, claim("bytes", "tape", 60)).allowed()).isTrue();
    }

    @Test
    void claimsOnTheSameCountAreTheirSum() {
        inForce("""
                rules:
                  - id: calls
                    limits: [{ by: key, limit: 10, window: 1m }]
                    overrides: [{ when: { plan: small }, limit: 8 }]
                """);
        Settled both = settled(inProcess, claim("calls", "a", 3), claim("calls", "a", 4), claim("calls", "b", 5));
        assertThat(both.allowed()).isTrue();
        assertThat(both.reported().remaining()).isEqualTo(3);
        assertThat(both.permits()).isEqualTo(12);
        Rule rule = set.rule("calls").orElseThrow();
        RuleCall small = new RuleCall(rule, Attributes.of(Map.of("key", "a", "plan", "small")), 1);
        assertThat(settled(inProcess, claim("calls", "a"), small).allowed())
                .as("seven used and two more, by the smaller numbers")
                .isFalse();
        assertThat(settled(inProcess, claim("calls", "a"), claim("calls", "a")).allowed())
                .isTrue();
    }

    /** A reservation of 0 asks whether one permit is left. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void claimsOnTheSameCountKeepTheLargerPart(long permits) {
        inForce("""
                rules:
                  - id: calls
                    limits: [{ id: all, limit: 10, window: 1m, cost: { reserve: json.n, settle: answer.status } }]
                    overrides: [{ when: { plan: batch }, of: all, keep: 50% }]
                """);
        RuleCall top = costing(permits, "top");
        RuleCall batch = costing(permits, "batch");
        assertThat(settled(inProcess, batch, top).allowed()).isTrue();
        assertThat(settled(inProcess, costing(6 - 2 * permits, "top")).allowed())
                .isTrue();

        assertThat(settled(inProcess, top, batch).keptForOthers()).isTrue();
        assertThat(settled(inProcess, batch, top).keptForOthers()).isTrue();
        assertThat(settled(inProcess, top, top).allowed()).isTrue();
    }

    @Test
    void moreThanALimitCanHoldIsImpossibleAndChargesNothing() {
        inForce("rules: [{ id: a, limits: [{ by: key, limit: 5, window: 1m }] }, { id: b, limits: [{ rate: 9 }] }]");
        Impossible alone = (Impossible) ruling(inProcess, claim("b", "k"), claim("a", "k", 6));
        assertThat(alone).isEqualTo(new Impossible("a", "a.0", 6, 5));
        Impossible together = (Impossible) ruling(inProcess, claim("a", "k", 3), claim("a", "k", 3));
        assertThat(together.permits()).isEqualTo(6);
        long most = Limit.MAX_PERMITS;
        assertThat(ruling(inProcess, claim("a", "k", most), claim("a", "k", most)))
                .isInstanceOf(Impossible.class);
        assertThat(told).isEmpty();
        assertThat(settled(inProcess, claim("a", "k", 5)).allowed()).isTrue();
        assertThat(settled(inProcess, claim("b", "k", 9)).allowed()).isTrue();
        assertThatThrownBy(() -> claim("a", "k", 0)).hasMessageContaining("permits: 0 (expected: 1..");
        assertThatThrownBy(() -> claim("a", "k", most + 1)).hasMessageContaining("permits");
    }

    @Test
    void shadowAndCandidateLimitsNeverRefuse() {
        inForce("""
                rules:
                  - { id: tried, shadow: true, limits: [{ by: key, limit: 1, window: 1m }] }
                  - { id: live, limits: [{ limit: 9, window: 1m }], candidate: [{ limit: 2, window: 1m }] }
                """);
        RuleCall[] both = {claim("tried", "k"), claim("live", "k")};
        assertThat(settled(inProcess, both).shadowRefused()).isEmpty();
        assertThat(shadows(settled(inProcess, both))).containsExactly("tried.0");
        Settled third = settled(inProcess, both);
        assertThat(third.allowed()).isTrue();
        assertThat(shadows(third)).containsExactly("tried.0", "live.candidate-0");
    }

    @Test
    void overridesAndAbsentAttributesAreAsTheRuleSays() {
        inForce("""
                rules:
                  - id: calls
                    limits: [{ by: key, limit: 1, window: 1m, absent: refuse }]
                    overrides: [{ when: { plan: vip }, limit: 3 }]
                """);
        Rule rule = set.rule("calls").orElseThrow();
        RuleCall vip = new RuleCall(rule, Attributes.of(Map.of("key", "k", "plan", "vip")), 1);
        assertThat(admitted(inProcess, 5, vip)).isEqualTo(3);
        assertThat(admitted(inProcess, 5, claim("calls", "other"))).isEqualTo(1);
        Settled lacking = settled(inProcess, new RuleCall(rule, Attributes.of(Map.of()), 1));
        assertThat(lacking.allowed()).isFalse();
        assertThat(lacking.retryAfter()).isEmpty();
    }

    @Test
    void aRuleOfNoSetCountsLikeAnyOther() {
        Rule inline = parsed("rules: [{ id: inline, limits: [{ by: key, limit: 2, window: 1m }] }]")
                .get(0);
        RuleCall claim = new RuleCall(inline, Attributes.of(Map.of("key", "k")), 1);
        assertThat(admitted(inProcess, 5, claim)).isEqualTo(2);
        inForce("rules: [{ id: inline, limits: [{ limit: 0, window: 1m }] }]");
        clock.advance(Duration.ofMinutes(2));
        assertThat(admitted(inProcess, 5, claim))
                .as("what the caller hands in, not its namesake")
                .isEqualTo(2);
    }

    @Test
    void twoEnginesAreOneDecision() {
        inForce("""
                rules:
                  - { id: here, mode: local, limits: [{ limit: 5, window: 1m }] }
                  - { id: there, limits: [{ limit: 3, window: 1m }] }
                """);
        RuleCall[] both = {claim("here", "k"), claim("there", "k")};
        assertThat(admitted(withStore, 10, both)).isEqualTo(3);
        assertThat(admitted(withStore, 10, claim("here", "k")))
                .as("what the store refused was given back here")
                .isEqualTo(2);
    }

    @Test
    void permitsOfConcurrencyLimitsAreHeldOnceForAllClaims() {
        inForce("""
                rules:
                  - { id: jobs, limits: [{ by: key, algorithm: concurrency, limit: 4, ttl: 10s }] }
                  - { id: here, mode: local, limits: [{ algorithm: concurrency, limit: 4, ttl: 10s }] }
                """);
        for (Evaluator evaluator : List.of(inProcess, withStore)) {
            RuleCall[] all = {claim("jobs", "k"), claim("jobs", "k", 2), claim("here", "k")};
            Settled held = settled(evaluator, all);
            assertThat(held.permit()).isNotNull();
            assertThat(settled(evaluator, all).allowed()).isFalse();
            assertThat(settled(evaluator, claim("jobs", "k")).allowed())
                    .as("three of four are held")
                    .isTrue();
            Permit read = Permit.read(held.permit().text()).orElseThrow();
            assertThat(evaluator.renew(read).toCompletableFuture().join()).isTrue();
            assertThat(evaluator.release(read).toCompletableFuture().join()).isTrue();
            assertThat(evaluator.release(read).toCompletableFuture().join()).isFalse();
            assertThat(settled(evaluator, claim("jobs", "k", 3)).allowed()).isTrue();
            clock.advance(Duration.ofSeconds(11));
        }
    }

    @Test
    void waitsForTheMomentToGoOnAndTellsOnce() {
        inForce("rules: [{ id: a, limits: [{ algorithm: sliding_log, limit: 1, window: 1s }] }]");
        assertThat(settled(inProcess, claim("a", "k")).allowed()).isTrue();
        CompletableFuture<Ruling> waiting = inProcess.acquireNamed(List.of(claim("a", "k")), Duration.ofSeconds(2));
        assertThat(waiting).isNotDone();
        clock.advance(Duration.ofMillis(1_001));
        Settled ruling = (Settled) waiting.join();
        assertThat(ruling.allowed()).isTrue();
        assertThat(told).hasSize(2);
        Settled refused = (Settled) inProcess
                .acquireNamed(List.of(claim("a", "k")), Duration.ofMillis(500))
                .join();
        assertThat(refused.allowed()).as("would come too late").isFalse();
    }

    @Test
    void aReservedSlotIsWaitedForAndThenThereIsNothingToWaitFor() {
        inForce("rules: [{ id: a, limits: [{ algorithm: leaky_bucket, rate: 1/s, capacity: 10 }] }]");
        assertThat(settled(inProcess, claim("a", "k")).allowed()).isTrue();
        assertThat(settled(inProcess, claim("a", "k")).waitFor()).isEqualTo(Duration.ofSeconds(1));
        CompletableFuture<Ruling> waiting = inProcess.acquireNamed(List.of(claim("a", "k")), Duration.ofSeconds(5));
        assertThat(waiting).isNotDone();
        clock.advance(Duration.ofSeconds(2));
        assertThat(((Settled) waiting.join()).waitFor()).isZero();
        Settled never = (Settled)
                inProcess.acquireNamed(List.of(claim("a", "k")), Duration.ZERO).join();
        assertThat(never.allowed()).isFalse();
    }

    @Test
    void aCancelledWaitHoldsNothingInEitherEngine() {
        inForce("""
                rules:
                  - { id: here, mode: local, limits: [{ limit: 2, window: 1h }] }
                  - { id: there, limits: [{ algorithm: concurrency, limit: 1, ttl: 1h }] }
                """);
        Settled first = settled(withStore, claim("there", "k"));
        CompletableFuture<Ruling> waiting =
                withStore.acquireNamed(List.of(claim("here", "k"), claim("there", "k")), Duration.ofSeconds(5));
        assertThat(waiting).isNotDone();
        assertThat(waiting.cancel(false)).isTrue();
        withStore.release(first.permit()).toCompletableFuture().join();
        assertThat(settled(withStore, claim("there", "k")).allowed()).isTrue();
        assertThat(admitted(withStore, 5, claim("here", "k"))).isEqualTo(2);
    }

    @Test
    void aRefusalOfTheStoreAfterAWaitGivesBackWhatThisProcessCharged() {
        inForce("""
                rules:
                  - { id: here, mode: local, limits: [{ limit: 2, window: 1h }] }
                  - { id: there, limits: [{ limit: 1, window: 1h }] }
                """);
        List<RuleCall> both = List.of(claim("here", "k"), claim("there", "k"));
        assertThat(((Settled) withStore
                                .acquireNamed(both, Duration.ofSeconds(1))
                                .join())
                        .allowed())
                .isTrue();
        assertThat(((Settled) withStore
                                .acquireNamed(both, Duration.ofSeconds(1))
                                .join())
                        .allowed())
                .isFalse();
        assertThat(admitted(withStore, 5, claim("here", "k"))).isEqualTo(1);
    }

    @Test
    void whatARulingChargedCanBeGivenBack() {
        inForce("""
                rules:
                  - { id: window, limits: [{ limit: 1, window: 1h }] }
                  - { id: jobs, mode: local, limits: [{ algorithm: concurrency, limit: 1, ttl: 1h }] }
                """);
        for (int i = 0; i < 5; i++) {
            Settled ruling = settled(withStore, claim("window", "k"), claim("jobs", "k"));
            assertThat(ruling.allowed()).isTrue();
            withStore.giveBack(ruling).toCompletableFuture().join();
        }
    }

    @Test
    void nothingNamedIsAllowed() {
        Settled ruling = settled(inProcess);
        assertThat(ruling.allowed()).isTrue();
        assertThat(ruling.reported()).isNull();
        assertThat(((Settled) inProcess
                                .acquireNamed(List.of(), Duration.ofSeconds(1))
                                .join())
                        .allowed())
                .isTrue();
    }

    @Test
    void aRuleSaysWhichAttributesItLooksAt() {
        inForce("""
                rules:
                  - id: a
                    match: { plan: x }
                    limits: [{ by: [tenant, user], limit: 1, window: 1m }]
                    candidate: [{ by: json.c, absent: share, limit: 1, window: 1m }]
                    overrides: [{ when: { header.x-a: x }, limit: 2 }]
                  - { id: b, limits: [{ limit: 1, window: 1m }] }
                """);
        assertThat(set.rules().get(0).attributes())
                .containsExactlyInAnyOrder("plan", "tenant", "user", "ip", "json.c", "header.x-a");
        assertThat(set.rules().get(1).attributes()).isEmpty();
    }

    private Evaluator evaluator(Limiter store) {
        return new Evaluator(
                () -> set, local, store, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> told.add(ruling));
    }

    private void inForce(String text) {
        set = new RuleSet(7, parsed(text));
    }

    private static List<Rule> parsed(String text) {
        RuleDocument document = RuleDocument.parse("test.yaml", text);
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        return ((RuleDocument.Accepted) document).rules();
    }

    private RuleCall claim(String rule, String key) {
        return claim(rule, key, 1);
    }

    private RuleCall claim(String rule, String key, long permits) {
        return new RuleCall(set.rule(rule).orElseThrow(), Attributes.of(Map.of("key", key)), permits);
    }

    private RuleCall costing(long permits, String plan) {
        return new RuleCall(
                set.rule("calls").orElseThrow(), Attributes.of(Map.of("json.n", "" + permits, "plan", plan)), 1);
    }

    private static Ruling ruling(Evaluator evaluator, RuleCall... claims) {
        return evaluator.evaluateNamed(List.of(claims)).toCompletableFuture().join();
    }

    private static Settled settled(Evaluator evaluator, RuleCall... claims) {
        return (Settled) ruling(evaluator, claims);
    }

    private static int admitted(Evaluator evaluator, int times, RuleCall... claims) {
        int admitted = 0;
        for (int i = 0; i < times; i++) {
            admitted += settled(evaluator, claims).allowed() ? 1 : 0;
        }
        return admitted;
    }

    private static List<String> shadows(Settled ruling) {
        return ruling.shadowRefused().stream().map(Label::limit).toList();
    }
}
