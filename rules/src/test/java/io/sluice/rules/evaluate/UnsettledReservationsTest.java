package io.sluice.rules.evaluate;

import static io.sluice.rules.evaluate.CostRig.COMPLETIONS;
import static io.sluice.rules.evaluate.CostRig.SOON;
import static io.sluice.rules.evaluate.CostRig.TWO_ENGINES;
import static io.sluice.rules.evaluate.CostRig.reservation;
import static io.sluice.rules.evaluate.CostRig.ruled;
import static io.sluice.rules.evaluate.CostRig.settled;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.reserve.Reservation;
import io.sluice.testkit.engine.UnreliableEngine;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Reservations that are given back or stand, and what listeners learn of them. */
final class UnsettledReservationsTest {

    private final CostRig rig = new CostRig();

    @Test
    void aRequestThatIsGivenBackHasReservedNothingAlsoInShadow() {
        String rules = """
                rules:
                  - id: r
                    limits: [{ id: t, algorithm: fixed_window, limit: 10, window: 1h, cost: { reserve: 9, settle: answer.status } }]
                  - id: s
                    shadow: true
                    limits: [{ id: t, algorithm: fixed_window, limit: 10, window: 1h, cost: { reserve: 9, settle: answer.status } }]
                """;
        for (Evaluator evaluator : List.of(rig.inProcess(rules), rig.withStore(rules))) {
            rig.told.clear();
            Settled ruling = ruled(evaluator, Map.of());

            evaluator.giveBack(ruling).toCompletableFuture().join();

            assertThat(rig.told)
                    .extracting(limit -> limit.limit().id() + " " + limit.actual() + " "
                            + limit.result().change())
                    .containsExactlyInAnyOrder("r.t 0 -9", "s.t 0 -9");
            Settled next = ruled(evaluator, Map.of());
            assertThat(next.allowed()).isTrue();
            assertThat(next.shadowRefused()).isEmpty();
        }
        assertThat(rig.unsettled).isEmpty();
    }

    @Test
    void aReservationThatNobodyLearnedOfIsGivenBackInSilence() {
        Evaluator evaluator = rig.inProcess("""
                rules:
                  - id: r
                    limits: [{ id: t, rate: 10/s, burst: 10, max_wait: 1m, cost: { reserve: 10, settle: answer.status } }]
                """);
        List<RuleCall> claims =
                List.of(new RuleCall(evaluator.rules().rule("r").orElseThrow(), Attributes.of(Map.of()), 1));
        assertThat(settled(evaluator.acquireNamed(claims, Duration.ofMinutes(1)))
                        .allowed())
                .isTrue();

        CompletableFuture<Ruling> waiting = evaluator.acquireNamed(claims, Duration.ofMinutes(1));
        assertThat(waiting.cancel(false)).isTrue();

        assertThat(ruled(evaluator, Map.of()).waitFor()).isEqualTo(Duration.ofSeconds(1));
        assertThat(rig.told).isEmpty();
    }

    @Test
    void aReservationThatWillNotBeSettledIsNoted() {
        Evaluator evaluator = rig.inProcess(COMPLETIONS);

        evaluator.unsettled(reservation(ruled(evaluator, Map.of("tenant", "t"))), "aborted");

        assertThat(rig.unsettled).containsExactly("aborted");
    }

    @Test
    void aReservationThatTheStoreMayHaveMadeIsNoted() {
        rig.shared.close();

        Settled ruling = ruled(rig.withStore("""
                rules:
                  - id: r
                    on_failure: open
                    limits: [{ id: t, rate: 10/m, cost: { reserve: 2, settle: answer.status } }]
                """), Map.of());

        assertThat(ruling.allowed()).isTrue();
        assertThat(ruling.degraded()).isNotNull();
        assertThat(ruling.reservation()).isNull();
        assertThat(rig.unsettled).containsExactly("degraded");
    }

    @Test
    void onlyWhatTheStoreDidNotSettleStands() {
        UnreliableEngine engine = new UnreliableEngine(new LocalEngine(rig.clock));
        Evaluator evaluator = rig.evaluator(TWO_ENGINES, new Limiter(engine, rig.clock, List.of()));
        Reservation reservation = reservation(ruled(evaluator, Map.of()));
        engine.setMood(UnreliableEngine.Mood.FAILS);

        CompletableFuture<?> settling = evaluator
                .settle(reservation, Map.of("here.tokens", 3L, "there.tokens", 3L), SOON)
                .toCompletableFuture();
        rig.clock.advance(SOON);

        assertThat(settling).isCompletedExceptionally();
        assertThat(rig.told).extracting(settled -> settled.limit().id()).containsExactly("here.tokens");
        assertThat(rig.standing).containsExactly("there.tokens");
        assertThat(rig.unsettled).containsExactly("failed");
    }
}
