package io.sluice.rules.evaluate;

import static io.sluice.rules.evaluate.CostRig.left;
import static io.sluice.rules.evaluate.CostRig.reservation;
import static io.sluice.rules.evaluate.CostRig.ruled;
import static io.sluice.rules.evaluate.CostRig.ruling;
import static io.sluice.rules.evaluate.CostRig.settle;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.spi.Label;
import io.sluice.rules.evaluate.Ruling.Settled;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Requests that leave a part of a limit for others. */
final class KeepEvaluationTest {

    private final CostRig rig = new CostRig();

    @Test
    void someRequestsLeaveAPartForOthers() {
        Evaluator evaluator = rig.inProcess("""
                rules:
                  - id: capacity
                    limits: [{ id: all, algorithm: fixed_window, limit: 10, window: 1h }]
                    overrides:
                      - { when: { plan: batch }, of: all, keep: 50% }
                      - { when: { plan: free }, of: all, keep: 2 }
                """);

        for (int i = 0; i < 5; i++) {
            assertThat(ruled(evaluator, Map.of("plan", "batch")).allowed()).isTrue();
        }
        Settled batch = ruled(evaluator, Map.of("plan", "batch"));
        for (int i = 0; i < 3; i++) {
            assertThat(ruled(evaluator, Map.of("plan", "free")).allowed()).isTrue();
        }
        Settled free = ruled(evaluator, Map.of("plan", "free"));

        assertThat(batch.allowed()).isFalse();
        assertThat(batch.keptForOthers()).isTrue();
        assertThat(free.keptForOthers()).isTrue();
        assertThat(ruled(evaluator, Map.of()).allowed()).isTrue();
        assertThat(ruled(evaluator, Map.of()).allowed()).isTrue();
        Settled last = ruled(evaluator, Map.of());
        assertThat(last.allowed()).isFalse();
        assertThat(last.keptForOthers()).isFalse();
    }

    @Test
    void theFirstOfSeveralOverridesDecidesWhatIsKept() {
        Evaluator evaluator = rig.inProcess("""
                rules:
                  - id: r
                    limits: [{ id: t, algorithm: fixed_window, limit: 10, window: 1h }]
                    overrides:
                      - { when: { user: admin }, keep: 0 }
                      - { when: { plan: free }, keep: 40% }
                      - { when: { plan: [free, batch] }, limit: 20, keep: 100% }
                """);

        assertThat(ruling(evaluator, Map.of("plan", "free"), 7).keptForOthers()).isTrue();
        assertThat(ruling(evaluator, Map.of("plan", "free"), 6).allowed()).isTrue();
        Settled batch = ruled(evaluator, Map.of("plan", "batch"));
        assertThat(batch.allowed()).isFalse();
        assertThat(batch.keptForOthers()).isTrue();
        assertThat(batch.retryAfter()).as("all of the limit is kept").isEmpty();
        assertThat(Objects.requireNonNull(batch.reported()).remaining()).isEqualTo(14);
        assertThat(ruling(evaluator, Map.of("plan", "free", "user", "admin"), 4).allowed())
                .isTrue();
    }

    /** The estimate and what is kept must fit together. What was really used may take what is kept. */
    @Test
    void aRequestWithACostOfItsOwnLeavesAPartForOthers() {
        for (boolean inStore : List.of(false, true)) {
            String rules = """
                    rules:
                      - id: r
                        limits:
                          - id: t
                            algorithm: fixed_window
                            limit: 100
                            window: 1h
                            cost: { reserve: json.n, default: 10, settle: answer.status }
                        overrides: [{ when: { plan: batch }, keep: 50% }]
                    """;
            Evaluator evaluator = inStore ? rig.withStore(rules) : rig.inProcess(rules);

            assertThat(ruled(evaluator, Map.of("plan", "batch", "json.n", "51")).keptForOthers())
                    .isTrue();
            Settled batch = ruled(evaluator, Map.of("plan", "batch", "json.n", "50"));
            assertThat(batch.allowed()).isTrue();
            Settled nothing = ruled(evaluator, Map.of("plan", "batch", "json.n", "0"));
            assertThat(nothing.allowed())
                    .as("50 remain after a request that costs nothing")
                    .isTrue();
            settle(evaluator, reservation(batch), 60);
            assertThat(ruled(evaluator, Map.of("plan", "batch", "json.n", "0")).keptForOthers())
                    .isTrue();
            assertThat(ruled(evaluator, Map.of("json.n", "41")).keptForOthers()).isFalse();
            assertThat(left(ruled(evaluator, Map.of("json.n", "40")), "r.t")).isZero();
        }
    }

    @Test
    void aShadowRuleTellsThatItWouldHaveKeptAPart() {
        Evaluator evaluator = rig.inProcess("""
                rules:
                  - id: r
                    shadow: true
                    limits: [{ id: t, algorithm: fixed_window, limit: 10, window: 1h }]
                    overrides: [{ when: { plan: batch }, keep: 50% }]
                """);

        assertThat(ruling(evaluator, Map.of("plan", "batch"), 5).shadowRefused())
                .isEmpty();
        Settled refused = ruled(evaluator, Map.of("plan", "batch"));
        assertThat(refused.allowed()).isTrue();
        assertThat(refused.keptForOthers()).as("nothing was refused").isFalse();
        assertThat(refused.shadowRefused()).extracting(Label::limit).containsExactly("r.t");
        assertThat(ruling(evaluator, Map.of(), 5).shadowRefused())
                .as("the refused request was not counted")
                .isEmpty();
    }
}
