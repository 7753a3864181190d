package io.sluice.rules.evaluate;

import static io.sluice.rules.evaluate.CostRig.left;
import static io.sluice.rules.evaluate.CostRig.ruled;
import static io.sluice.rules.evaluate.CostRig.ruling;
import static io.sluice.rules.evaluate.CostRig.settled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.core.Limiter;
import io.sluice.core.decorator.ForwardingEngine;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.rules.evaluate.Ruling.Reported;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.pattern.Attributes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Usage that is reported afterwards and charged also into debt. */
final class UsageEvaluationTest {

    private final CostRig rig = new CostRig();

    @Test
    void usageIsChargedIntoDebtAndTheCallPasses() {
        for (Evaluator evaluator : List.of(rig.inProcess(usage()), rig.withStore(usage()))) {
            assertThat(ruling(evaluator, Map.of(), 0).allowed()).isTrue();

            Settled used = ruling(evaluator, Map.of(), 873);
            Settled again = ruling(evaluator, Map.of(), 1);
            Settled looked = ruling(evaluator, Map.of(), 0);

            assertThat(used.allowed()).isTrue();
            assertThat(used.degraded()).isNull();
            assertThat(Objects.requireNonNull(used.reported()).id()).isEqualTo("r.t");
            assertThat(used.reported().remaining()).isZero();
            assertThat(again.allowed()).isTrue();
            assertThat(looked.allowed()).isFalse();
            assertThat(looked.retryAfter()).contains(Duration.ofMinutes(7).plusSeconds(45));
            assertThat(settled(evaluator
                            .explain(Attributes.of(Map.of()), 1)
                            .toCompletableFuture()
                            .join()
                            .ruling()))
                    .satisfies(ruling -> assertThat(ruling.allowed()).isTrue());
        }
    }

    @Test
    void usageOfLimitsInShadowIsChargedAndNotReported() {
        String candidate = """
                rules:
                  - id: r
                    limits: [{ id: t, algorithm: fixed_window, limit: 10, window: 1h, cost: { charge: always } }]
                    candidate: [{ id: t, algorithm: fixed_window, limit: 5, window: 1h, cost: { charge: always } }]
                """;
        String shadow = """
                rules:
                  - id: r
                    shadow: true
                    limits: [{ id: s, algorithm: fixed_window, limit: 5, window: 1h, cost: { charge: always } }]
                """;
        Evaluator evaluator = rig.inProcess(candidate);

        assertThat(ruling(evaluator, Map.of(), 4).costs())
                .extracting(Reported::id, Reported::remaining)
                .containsExactly(tuple("r.t", 6L));
        assertThat(ruling(evaluator, Map.of(), 1).reported())
                .extracting(Reported::id, Reported::remaining)
                .containsExactly("r.t", 5L);
        assertThat(ruling(evaluator, Map.of(), 0).shadowRefused())
                .as("the candidate is used up")
                .hasSize(1);
        assertThat(ruling(rig.inProcess(shadow), Map.of(), 1).reported()).isNull();
    }

    @Test
    void aStoreThatFailsToChargeUsageInShadowDegradesNothing() {
        rig.shared.close();
        Settled ruling = ruling(rig.withStore("""
                rules:
                  - { id: a, mode: local, limits: [{ algorithm: fixed_window, limit: 10, window: 1h }] }
                  - id: b
                    shadow: true
                    limits: [{ id: s, algorithm: fixed_window, limit: 5, window: 1h, cost: { charge: always } }]
                """), Map.of(), 1);

        assertThat(ruling.allowed()).isTrue();
        assertThat(ruling.degraded()).isNull();
    }

    @Test
    void usageThatIsChargedHereIsReportedIfTheStoreFails() {
        Limiter failing = new Limiter(
                new ForwardingEngine(new LocalEngine(rig.clock)) {
                    @Override
                    public CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
                        return CompletableFuture.failedFuture(new UnsupportedOperationException());
                    }
                },
                rig.clock,
                List.of());
        Evaluator evaluator = rig.evaluator("""
                rules:
                  - id: here
                    mode: local
                    limits: [{ id: t, algorithm: fixed_window, limit: 10, window: 1h, cost: { charge: always } }]
                  - id: there
                    limits: [{ id: t, algorithm: fixed_window, limit: 10, window: 1h, cost: { charge: always } }]
                """, failing);

        Settled ruling = ruling(evaluator, Map.of(), 4);

        assertThat(left(ruling, "here.t")).isEqualTo(6);
        assertThat(left(ruling, "there.t")).isEqualTo(10);
        assertThat(ruling.degraded()).isEqualTo(UsageCharges.UNKNOWN);
        assertThat(rig.standing).containsExactly("there.t");
    }

    /** The clock stands at 13 minutes and 20 seconds before a full hour. */
    @ParameterizedTest
    @CsvSource({
        "'rate: 100/m', PT30S",
        "'algorithm: fixed_window, limit: 100, window: 1h', PT13M20S",
        "'algorithm: sliding_window, limit: 100, window: 1h', PT1H",
        "'algorithm: sliding_log, limit: 100, window: 1h', PT1H",
    })
    void usageTellsWhenTheLimitIsUnusedAgain(String numbers, Duration expected) {
        String rules = "rules: [{ id: r, limits: [{ id: t, " + numbers + ", cost: { charge: always } }] }]";
        for (Evaluator evaluator : List.of(rig.inProcess(rules), rig.withStore(rules))) {
            Settled used = ruling(evaluator, Map.of(), 50);

            assertThat(Objects.requireNonNull(used.reported()).remaining()).isEqualTo(50);
            assertThat(used.reported().resetAfter()).contains(expected);
        }
    }

    @Test
    void usageOfARefusedCallIsNotCharged() {
        Evaluator evaluator = rig.inProcess("""
                rules:
                  - { id: a, limits: [{ algorithm: fixed_window, limit: 1, window: 1h }] }
                  - { id: b, limits: [{ id: t, algorithm: fixed_window, limit: 10, window: 1h, cost: { charge: always } }] }
                """);

        assertThat(ruled(evaluator, Map.of()).allowed()).isTrue();
        assertThat(ruled(evaluator, Map.of()).allowed()).isFalse();

        assertThat(rig.told).hasSize(1);
    }

    private static String usage() {
        return "rules: [{ id: r, limits: [{ id: t, rate: 100/m, cost: { charge: always } }] }]";
    }
}
