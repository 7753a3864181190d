package io.sluice.rules.evaluate;

import static io.sluice.rules.evaluate.CostRig.ruled;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.evaluate.Ruling.Settled;
import java.util.Map;
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
}
