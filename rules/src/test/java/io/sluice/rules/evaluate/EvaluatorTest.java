package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Ruling.Impossible;
import io.sluice.rules.evaluate.Ruling.Reported;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class EvaluatorTest {

    private final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    private final Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
    private final RecordingEngine store = new RecordingEngine(new LocalEngine(clock));
    private final Limiter shared = new Limiter(store, clock, List.of());
    private final List<Settled> told = new ArrayList<>();

    @Test
    void allowsWhenNothingMatches() {
        Evaluator evaluator = inProcess("rules: [{ id: a, service: x, limits: [{ rate: 1 }] }]");

        Settled ruling = settled(evaluator, Map.of("service", "y"), 1);

        assertThat(ruling.allowed()).isTrue();
        assertThat(ruling.reported()).isNull();
        assertThat(ruling.matched()).isEmpty();
        assertThat(ruling.mode()).isEqualTo("local");
        assertThat(ruling.ruleVersion()).isEqualTo(7);
    }

    @Test
    void everyDemandOnTheStoreHasTheGuardOfItsRule() {
        Evaluator evaluator = withStore("""
                rules:
                  - { id: a, guard: 1.2, limits: [{ rate: 100 }, { by: ip, rate: 5 }] }
                  - { id: b, guard: 3, shadow: true, limits: [{ rate: 100 }] }
                  - { id: c, limits: [{ rate: 100 }] }
                """);

        settled(evaluator, Map.of("ip", "203.0.113.9"), 1);

        assertThat(store.asks.get(0).demands())
                .extracting(demand -> demand.label().rule() + " " + demand.guard())
                .containsExactlyInAnyOrder("a 1.2", "a 1.2", "c Infinity");
        assertThat(store.asks.get(1).demands().get(0).guard()).isEqualTo(3);
    }

    @Test
    void reportsTheFirstRefusingLimitFromGlobalToCallerAndTheLongestRetry() {
        Evaluator evaluator = inProcess("""
                rules:
                  - { id: per-user, limits: [{ by: user, algorithm: sliding_log, limit: 1, window: 1h }] }
                  - { id: path, resource: /a, limits: [{ algorithm: sliding_log, limit: 1, window: 1m }] }
                  - { id: svc, service: s, limits: [{ algorithm: sliding_log, limit: 1, window: 10s }] }
                  - { id: all, limits: [{ rate: 100 }] }
                """);
        Map<String, String> request = Map.of("user", "u", "path", "/a", "service", "s");

        assertThat(settled(evaluator, request, 1).allowed()).isTrue();
        Settled ruling = settled(evaluator, request, 1);

        assertThat(ruling.allowed()).isFalse();
        assertThat(reported(ruling).id()).isEqualTo("svc.0");
        assertThat(ruling.retryAfter()).contains(Duration.ofHours(1));
        assertThat(ruling.matched()).containsExactly("per-user", "path", "svc", "all");
        clock.advance(Duration.ofSeconds(10));
        assertThat(reported(settled(evaluator, request, 1)).id()).isEqualTo("path.0");
        clock.advance(Duration.ofSeconds(50));
        assertThat(reported(settled(evaluator, request, 1)).id()).isEqualTo("per-user.0");
    }

    @Test
    void ofLimitsOfOneLevelTheFirstInTheDocumentIsReported() {
        Evaluator evaluator = inProcess("""
                rules:
                  - { id: b, limits: [{ by: ip, rate: 0 }, { id: named, by: user, rate: 0 }] }
                  - { id: a, limits: [{ by: user, rate: 0 }] }
                """);

        assertThat(reported(settled(evaluator, Map.of(), 1)).id()).isEqualTo("b.0");
    }

    @Test
    void ofAnAllowedRequestTheLimitWithTheLeastRemainingIsReportedAndOfEqualsTheFirst() {
        Evaluator evaluator = inProcess("""
                rules:
                  - { id: caller, limits: [{ by: user, rate: 5 }] }
                  - { id: all, limits: [{ rate: 5 }] }
                  - { id: wide, limits: [{ rate: 9 }] }
                """);

        Settled ruling = settled(evaluator, Map.of("user", "u"), 1);

        assertThat(reported(ruling).id()).isEqualTo("all.0");
        assertThat(reported(ruling).remaining()).isEqualTo(4);
        settled(evaluator, Map.of("user", "v"), 1);
        assertThat(reported(settled(evaluator, Map.of("user", "u"), 1)).remaining())
                .isEqualTo(2);
    }

    @Test
    void aRefusedRequestChargesNoOtherLimit() {
        Evaluator evaluator = inProcess("""
                rules:
                  - { id: all, limits: [{ algorithm: sliding_log, limit: 10, window: 1h }] }
                  - { id: user, limits: [{ by: user, algorithm: sliding_log, limit: 1, window: 1h }] }
                """);

        for (int i = 0; i < 20; i++) {
            settled(evaluator, Map.of("user", "greedy"), 1);
        }

        Settled look = settled(evaluator, Map.of("user", "other"), 0);
        assertThat(look.decisions().all().get(0).outcome().verdicts().get(0).remaining())
                .isEqualTo(9);
    }

    @Test
    void alwaysRefusesWithoutHopeWhereTheLimitIsZero() {
        Evaluator evaluator = inProcess("rules: [{ id: a, limits: [{ rate: 0 }] }]");

        Settled ruling = settled(evaluator, Map.of(), 1);

        assertThat(ruling.allowed()).isFalse();
        assertThat(ruling.retryAfter()).isEmpty();
    }

    @Test
    void moreThanALimitCanEverHoldIsImpossibleAndChargesNothing() {
        Evaluator evaluator = inProcess("""
                rules:
                  - { id: all, limits: [{ rate: 0 }] }
                  - { id: wide, limits: [{ rate: 100 }] }
                  - { id: user, limits: [{ by: user, rate: 5 }] }
                """);

        assertThat(evaluate(evaluator, Map.of(), 6)).isEqualTo(new Impossible("user", "user.0", 6, 5));
        assertThat(settled(evaluator, Map.of(), 5).allowed()).isFalse();
        assertThat(told).hasSize(1);
    }

    @Test
    void zeroPermitsLookForOneAndChargeNothing() {
        Evaluator evaluator =
                inProcess("rules: [{ id: a, limits: [{ algorithm: sliding_log, limit: 1, window: 1m }] }]");

        assertThat(settled(evaluator, Map.of(), 0).allowed()).isTrue();
        assertThat(settled(evaluator, Map.of(), 0).looked()).isTrue();
        assertThat(settled(evaluator, Map.of(), 1).allowed()).isTrue();
        Settled look = settled(evaluator, Map.of(), 0);
        assertThat(look.allowed()).isFalse();
        assertThat(look.permits()).isZero();
    }

    @Test
    void refusesPermitsOutOfRange() {
        Evaluator evaluator = inProcess("rules: []");

        assertThatThrownBy(() -> evaluator.evaluate(Attributes.of(Map.of()), -1))
                .hasMessage("permits: -1 (expected: 0..1000000000)");
        assertThatThrownBy(() -> evaluator.evaluate(Attributes.of(Map.of()), 1_000_000_001))
                .isNotNull();
    }

    @Test
    void disabledRulesApplyToNothing() {
        Evaluator evaluator = inProcess("rules: [{ id: a, enabled: false, limits: [{ rate: 0 }] }]");

        assertThat(settled(evaluator, Map.of(), 1).matched()).isEmpty();
    }

    @Test
    void matchesServicePathAndMethodTogether() {
        Evaluator evaluator =
                inProcess("rules: [{ id: a, service: s, resource: '/a/{x}', methods: [POST], limits: [{ rate: 5 }] }]");

        assertThat(matched(evaluator, Map.of("service", "s", "path", "/a/1", "method", "POST")))
                .containsExactly("a");
        assertThat(matched(evaluator, Map.of("service", "s", "path", "/a/1", "method", "post")))
                .containsExactly("a");
        assertThat(matched(evaluator, Map.of("service", "t", "path", "/a/1", "method", "POST")))
                .isEmpty();
        assertThat(matched(evaluator, Map.of("service", "s", "path", "/b/1", "method", "POST")))
                .isEmpty();
        assertThat(matched(evaluator, Map.of("service", "s", "path", "/a/1", "method", "GET")))
                .isEmpty();
        assertThat(matched(evaluator, Map.of("service", "s", "path", "/a/1"))).isEmpty();
        assertThat(matched(evaluator, Map.of("service", "s", "method", "POST"))).isEmpty();
        assertThat(matched(evaluator, Map.of("path", "/a/1", "method", "POST"))).isEmpty();
    }

    @Test
    void countsCallersApartByTheirAttributes() {
        Evaluator evaluator = inProcess(
                "rules: [{ id: a, limits: [{ by: [tenant, header.X-User], algorithm: sliding_log, limit: 1, window: 1m }] }]");

        assertThat(settled(evaluator, Map.of("tenant", "t", "header.X-User", "u"), 1)
                        .allowed())
                .isTrue();
        assertThat(settled(evaluator, Map.of("tenant", "t", "header.x-user", "u"), 1)
                        .allowed())
                .isFalse();
        assertThat(settled(evaluator, Map.of("tenant", "t", "header.x-user", "v"), 1)
                        .allowed())
                .isTrue();
        assertThat(settled(evaluator, Map.of("tenant", "s", "header.x-user", "u"), 1)
                        .allowed())
                .isTrue();
        assertThat(settled(evaluator, Map.of("tenant", "t", "ip", "192.0.2.1"), 1)
                        .allowed())
                .isTrue();
        assertThat(settled(evaluator, Map.of("tenant", "t", "ip", "192.0.2.1"), 1)
                        .allowed())
                .isFalse();
        assertThat(settled(evaluator, Map.of("tenant", "t", "ip", "192.0.2.2"), 1)
                        .allowed())
                .isTrue();
    }

    @Test
    void aChangeOfNumbersKeepsWhatWasUsed() {
        RuleSet[] inForce = {set("rules: [{ id: a, limits: [{ rate: 10/h, burst: 10 }] }]")};
        Evaluator evaluator =
                new Evaluator(() -> inForce[0], local, null, KeySettings.ofThisProcess(), clock, (r, n) -> {});
        settled(evaluator, Map.of(), 4);

        inForce[0] = set("rules: [{ id: a, limits: [{ rate: 20/h, burst: 20 }] }]");

        assertThat(reported(settled(evaluator, Map.of(), 1)).remaining()).isEqualTo(15);
    }

    @Test
    void withoutAStoreEverythingIsLocal() {
        Evaluator evaluator =
                inProcess("rules: [{ id: a, mode: distributed, on_failure: closed, limits: [{ rate: 5 }] }]");

        Settled ruling = settled(evaluator, Map.of(), 1);

        assertThat(ruling.mode()).isEqualTo("local");
        assertThat(ruling.degraded()).isNull();
    }

    @Test
    void demandsOfLeasedRulesSayHowTheyAreLeased() {
        Evaluator evaluator = withStore("""
                rules:
                  - { id: a, mode: local_distributed, lease: { size: 20, share: 0.2, ttl: 2s }, limits: [{ rate: 100 }] }
                  - { id: b, mode: local_distributed, limits: [{ rate: 100 }] }
                  - { id: c, limits: [{ rate: 100 }] }
                """);

        settled(evaluator, Map.of(), 1);

        assertThat(store.asks.get(0).demands())
                .extracting(Demand::lease)
                .containsExactly(
                        new LeasePolicy(20, 0.2, 2_000_000), new LeasePolicy(0, 0.1, 1_000_000), LeasePolicy.NONE);
    }

    @Test
    void withoutAStoreNothingIsLeased() {
        String rules = "rules: [{ id: a, mode: local_distributed, limits: [{ rate: 5 }] }]";

        Settled ruling = settled(inProcess(rules), Map.of(), 1);

        assertThat(ruling.mode()).isEqualTo("local");
        assertThat(ruling.decisions().all().get(0).allowed()).isTrue();
    }

    @Test
    void onlyLocalRulesStayOutOfTheStore() {
        Evaluator evaluator = withStore("""
                rules:
                  - { id: far, resource: /far, limits: [{ rate: 5 }] }
                  - { id: leased, resource: /leased, mode: local_distributed, limits: [{ rate: 5 }] }
                  - { id: near, resource: /near, mode: local, limits: [{ rate: 5 }] }
                """);

        assertThat(settled(evaluator, Map.of("path", "/far"), 1).mode()).isEqualTo("distributed");
        assertThat(settled(evaluator, Map.of("path", "/leased"), 1).mode()).isEqualTo("local_distributed");
        assertThat(store.asks).hasSize(2);
        assertThat(settled(evaluator, Map.of("path", "/near"), 1).mode()).isEqualTo("local");
        assertThat(store.asks).hasSize(2);
    }

    @Test
    void aRefusalByTheStoreGivesBackWhatWasChargedInProcess() {
        Evaluator evaluator = withStore("""
                rules:
                  - { id: near, mode: local, limits: [{ algorithm: sliding_log, limit: 2, window: 1h }] }
                  - { id: far, limits: [{ by: user, algorithm: sliding_log, limit: 1, window: 1h }] }
                """);
        assertThat(settled(evaluator, Map.of("user", "u"), 1).allowed()).isTrue();

        for (int i = 0; i < 5; i++) {
            Settled ruling = settled(evaluator, Map.of("user", "u"), 1);
            assertThat(ruling.allowed()).isFalse();
            assertThat(reported(ruling).id()).isEqualTo("far.0");
            assertThat(ruling.mode()).isEqualTo("distributed");
        }

        assertThat(settled(evaluator, Map.of("user", "v"), 1).allowed()).isTrue();
        assertThat(told).hasSize(7);
    }

    @Test
    void aRefusalInProcessDoesNotAskTheStore() {
        Evaluator evaluator = withStore("""
                rules:
                  - { id: far, limits: [{ rate: 5 }] }
                  - { id: near, mode: local, limits: [{ rate: 0 }] }
                """);

        Settled ruling = settled(evaluator, Map.of(), 1);

        assertThat(ruling.allowed()).isFalse();
        assertThat(reported(ruling).id()).isEqualTo("near.0");
        assertThat(ruling.mode()).isEqualTo("local");
        assertThat(store.asks).isEmpty();
    }

    @Test
    void ofTwoEnginesTheOneWithLessRemainingIsReportedAndOfEqualsTheFirstInOrder() {
        Evaluator evaluator = withStore("""
                rules:
                  - { id: near, mode: local, limits: [{ by: user, rate: 5 }] }
                  - { id: far, limits: [{ rate: 5 }] }
                """);

        Settled ruling = settled(evaluator, Map.of("user", "u"), 1);

        assertThat(ruling.decisions()).hasSize(2);
        assertThat(reported(ruling).id()).isEqualTo("far.0");
        assertThat(reported(settled(evaluator, Map.of("user", "v"), 0)).id()).isEqualTo("far.0");
    }

    @Test
    void asksWithTheShortestDeadlineTheStrictestPolicyAndTheSmallestShareOfTheStoresRules() {
        Evaluator evaluator = withStore("""
                rules:
                  - { id: a, deadline: 50ms, on_failure: open, local_share: 0.9, limits: [{ rate: 5 }] }
                  - { id: b, deadline: 10ms, on_failure: closed, local_share: 0.2, limits: [{ rate: 5 }] }
                  - { id: c, deadline: 30ms, limits: [{ rate: 5 }] }
                  - { id: d, mode: local, deadline: 1ms, local_share: 0.1, limits: [{ rate: 5 }] }
                """);

        settled(evaluator, Map.of(), 1);

        Ask ask = store.asks.get(0);
        assertThat(ask.deadlineNanos()).isEqualTo(clock.nanoTime() + 10_000_000);
        assertThat(ask.onFailure()).isEqualTo(FailurePolicy.CLOSED);
        assertThat(ask.localShare()).isEqualTo(0.2);
        assertThat(ask.ruleVersion()).isEqualTo(7);
        assertThat(ask.demands()).extracting(demand -> demand.label().limit()).containsExactly("a.0", "b.0", "c.0");
    }

    @Test
    void saysThatItIsDegradedAndHowSoonToComeBack() {
        store.down = true;
        Evaluator evaluator = withStore("rules: [{ id: a, on_failure: closed, limits: [{ rate: 5 }] }]");

        Settled ruling = settled(evaluator, Map.of(), 1);

        assertThat(ruling.allowed()).isFalse();
        assertThat(ruling.degraded()).isEqualTo("redis-down");
        assertThat(ruling.retryAfter()).contains(Duration.ofSeconds(1));
    }

    @Test
    void refusesHeaderNamesThatDifferOnlyInCase() {
        assertThatThrownBy(() -> Attributes.of(Map.of("header.a", "1", "header.A", "2")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private Evaluator inProcess(String rules) {
        RuleSet set = set(rules);
        return new Evaluator(
                () -> set, local, null, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> told.add(ruling));
    }

    private Evaluator withStore(String rules) {
        RuleSet set = set(rules);
        return new Evaluator(
                () -> set, local, shared, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> told.add(ruling));
    }

    private static RuleSet set(String rules) {
        RuleDocument document = RuleDocument.parse("test", rules);
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        return new RuleSet(7, ((RuleDocument.Accepted) document).rules());
    }

    private static List<String> matched(Evaluator evaluator, Map<String, String> request) {
        return settled(evaluator, request, 0).matched();
    }

    private static Settled settled(Evaluator evaluator, Map<String, String> request, long permits) {
        return (Settled) evaluate(evaluator, request, permits);
    }

    private static Ruling evaluate(Evaluator evaluator, Map<String, String> request, long permits) {
        CompletableFuture<Ruling> ruling =
                evaluator.evaluate(Attributes.of(request), permits).toCompletableFuture();
        assertThat(ruling).isCompleted();
        return ruling.join();
    }

    private static Reported reported(Settled ruling) {
        assertThat(ruling.reported()).isNotNull();
        return ruling.reported();
    }

    /** A store that records its asks and can be made unavailable. */
    private static final class RecordingEngine implements Engine {

        final List<Ask> asks = new ArrayList<>();
        final Engine engine;
        boolean down;

        RecordingEngine(Engine engine) {
            this.engine = engine;
        }

        @Override
        public String name() {
            return "redis";
        }

        @Override
        public Answer decide(Ask ask) {
            asks.add(ask);
            return down ? new EngineFailure("redis-down", false) : engine.decide(ask);
        }

        @Override
        public CompletionStage<Boolean> giveBack(List<Charge> charges) {
            return engine.giveBack(charges);
        }

        @Override
        public CompletionStage<Boolean> renew(Charge charge) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public void close() {}
    }
}
