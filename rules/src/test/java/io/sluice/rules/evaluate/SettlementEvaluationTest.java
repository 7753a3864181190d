package io.sluice.rules.evaluate;

import static io.sluice.rules.evaluate.CostRig.COMPLETIONS;
import static io.sluice.rules.evaluate.CostRig.SOON;
import static io.sluice.rules.evaluate.CostRig.TWO_ENGINES;
import static io.sluice.rules.evaluate.CostRig.left;
import static io.sluice.rules.evaluate.CostRig.reservation;
import static io.sluice.rules.evaluate.CostRig.ruled;
import static io.sluice.rules.evaluate.CostRig.settle;
import static io.sluice.rules.evaluate.CostRig.settled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.SettlementResult;
import io.sluice.rules.cost.AnswerAttribute;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservationText;
import io.sluice.rules.reserve.ReservedLimit;
import io.sluice.rules.reserve.SettledLimit;
import io.sluice.testkit.engine.UnreliableEngine;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Reservations that are settled when the real cost is known. */
final class SettlementEvaluationTest {

    private final CostRig rig = new CostRig();

    @Test
    void settlingGivesBackWhatWasNotUsed() {
        Evaluator evaluator = rig.inProcess(COMPLETIONS);
        Map<String, String> request = Map.of("tenant", "t", "json.max_tokens", "1000");
        Reservation reservation = reservation(ruled(evaluator, request));

        List<SettledLimit> settled = settle(evaluator, reservation, 300);

        assertThat(settled)
                .extracting(limit -> limit.limit().id() + " " + limit.result().change())
                .containsExactlyInAnyOrder("completions.tokens -700", "completions.budget -700");
        assertThat(rig.told).hasSize(2);
        assertThat(left(ruled(evaluator, request), "completions.budget")).isEqualTo(20_000 - 300 - 1_000);
    }

    @Test
    void settlingChargesWhatWasUsedBeyondIntoDebt() {
        Evaluator evaluator = rig.inProcess(COMPLETIONS);
        Map<String, String> request = Map.of("tenant", "t", "json.max_tokens", "15000");
        Reservation reservation = reservation(ruled(evaluator, request));

        settle(evaluator, reservation, 25_000);
        Settled next = ruled(evaluator, Map.of("tenant", "t", "json.max_tokens", "1"));

        assertThat(next.allowed()).isFalse();
        assertThat(Objects.requireNonNull(next.reported()).id()).isEqualTo("completions.budget");
        assertThat(next.reservation()).isNull();
    }

    @Test
    void aReservationIsSettledOnce() {
        Evaluator evaluator = rig.inProcess(COMPLETIONS);
        Reservation reservation = reservation(ruled(evaluator, Map.of("tenant", "t", "json.max_tokens", "1000")));

        settle(evaluator, reservation, 300);

        assertThat(settle(evaluator, reservation, 300))
                .extracting(limit -> limit.result().kind())
                .containsOnly(SettlementResult.Kind.REPEATED);
        assertThat(settle(evaluator, reservation, 301))
                .extracting(limit -> limit.result().kind())
                .containsOnly(SettlementResult.Kind.CONFLICT);
        assertThat(left(ruled(evaluator, Map.of("tenant", "t")), "completions.budget"))
                .isEqualTo(20_000 - 300 - 2_000);
    }

    @Test
    void aReservationCanBeSettledForFiveMinutes() {
        Evaluator evaluator = rig.inProcess(COMPLETIONS);
        Map<String, String> request = Map.of("tenant", "t", "json.max_tokens", "1000");
        Reservation early = reservation(ruled(evaluator, request));
        Reservation late = reservation(ruled(evaluator, request));

        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(settle(evaluator, early, 0))
                .extracting(limit -> limit.result().kind())
                .containsOnly(SettlementResult.Kind.SETTLED);
        rig.clock.advance(Duration.ofMillis(1));

        assertThat(settle(evaluator, late, 0)).extracting(SettledLimit::result).containsOnly(SettlementResult.UNKNOWN);
    }

    @Test
    void aTextOfAReservationIsTheReservation() {
        Evaluator evaluator = rig.withStore("""
                rules:
                  - id: all
                    limits:
                      - { id: a, by: tenant, rate: 100/m, cost: { reserve: 3, settle: answer.status, within: 90s } }
                      - { id: b, algorithm: fixed_window, limit: 10, window: 1m }
                      - { id: c, algorithm: fixed_window, limit: 10, align: month, zone: Asia/Shanghai }
                      - { id: d, limit: 10, window: 1m, slices: 6 }
                      - { id: e, algorithm: sliding_log, limit: 10, window: 1s }
                      - { id: f, algorithm: leaky_bucket, rate: 10 }
                      - { id: g, algorithm: concurrency, limit: 10, ttl: 1m }
                """);
        Settled ruling = settled(evaluator.evaluateReserving(Attributes.of(Map.of("tenant", "t")), 2));

        Reservation reservation = reservation(ruling);
        String text = ReservationText.write(reservation).orElseThrow();

        assertThat(reservation.limits())
                .extracting(limit -> limit.id() + " " + limit.reserved() + " " + limit.within())
                .containsExactlyInAnyOrder(
                        "all.a 3 PT1M30S", "all.b 2 PT5M", "all.c 2 PT5M", "all.d 2 PT5M", "all.e 2 PT5M");
        assertThat(ReservationText.read(text)).contains(reservation);
        assertThat(text).matches("[A-Za-z0-9_-]+");
        for (int cut = 0; cut < text.length(); cut += 7) {
            assertThat(ReservationText.read(text.substring(0, cut))).isEmpty();
        }
    }

    @Test
    void onlyTheProcessThatDecidedSettlesWhatItCountsItself() {
        Evaluator evaluator = rig.inProcess(COMPLETIONS);
        Evaluator other = rig.inProcess(COMPLETIONS);
        Reservation here = reservation(ruled(evaluator, Map.of("tenant", "t")));
        Reservation inStore = reservation(ruled(rig.withStore(COMPLETIONS), Map.of("tenant", "t")));

        assertThat(settle(other, here, 0)).extracting(SettledLimit::result).containsOnly(SettlementResult.UNKNOWN);
        assertThat(settle(rig.withStore(COMPLETIONS), inStore, 0))
                .extracting(limit -> limit.result().kind())
                .containsOnly(SettlementResult.Kind.SETTLED);
    }

    @Test
    void figuresOfUnknownLimitsAreRefused() {
        Evaluator evaluator = rig.inProcess(COMPLETIONS);
        Reservation reservation = reservation(ruled(evaluator, Map.of("tenant", "t")));

        assertThatThrownBy(() -> evaluator.settle(reservation, Map.of("completions.requests", 1L), SOON))
                .hasMessageContaining(
                        "actual: completions.requests (expected: a limit of the reservation, completions.");
        assertThatThrownBy(() -> evaluator.settle(reservation, Map.of("completions.tokens", -1L), SOON))
                .hasMessageContaining("actual: -1");
    }

    @Test
    void aReservationOfNothingNeedsSomethingLeft() {
        Evaluator evaluator = rig.inProcess("""
                rules:
                  - id: r
                    limits: [{ id: t, algorithm: fixed_window, limit: 10, window: 1h, cost: { reserve: 0, settle: answer.status } }]
                """);
        Settled first = ruled(evaluator, Map.of());

        assertThat(left(first, "r.t")).isEqualTo(10);
        settle(evaluator, reservation(first), 10);
        assertThat(ruled(evaluator, Map.of()).allowed()).isFalse();
        assertThat(ruled(evaluator, Map.of()).keptForOthers()).isFalse();
    }

    /** The caller says what it really cost, also if it seemed to cost nothing. */
    @Test
    void aCallerThatReservesCanSettleARequestThatSeemsToCostNothing() {
        Evaluator evaluator = rig.inProcess("""
                rules:
                  - id: r
                    limits: [{ id: t, algorithm: fixed_window, limit: 10, window: 1h, cost: { reserve: json.n } }]
                """);
        Attributes request = Attributes.of(Map.of("json.n", "0"));

        Reservation reservation = reservation(settled(evaluator.evaluateReserving(request, 1)));
        assertThat(reservation.limits()).extracting(ReservedLimit::reserved).containsExactly(0L);
        settle(evaluator, reservation, 10);

        assertThat(settled(evaluator.evaluateReserving(request, 1)).allowed()).isFalse();
        assertThat(settled(evaluator.evaluate(request, 1)).allowed()).isTrue();
        RuleCall claim = new RuleCall(evaluator.rules().rule("r").orElseThrow(), request, 1, true);
        assertThat(settled(evaluator.evaluateNamed(List.of(claim))).allowed()).isFalse();
    }

    @Test
    void anAnswerHasTheFigures() {
        Evaluator evaluator = rig.inProcess(COMPLETIONS);
        Reservation reservation = reservation(ruled(evaluator, Map.of("tenant", "t")));
        AnswerAttribute total = AnswerAttribute.parse("answer.json.usage.total_tokens");

        assertThat(reservation.answerAttributes()).containsExactly(total);
        assertThat(reservation.actual(Map.of(total, Long.MAX_VALUE)))
                .containsOnly(
                        Map.entry("completions.tokens", 1_000_000_000L),
                        Map.entry("completions.budget", 1_000_000_000L));
        assertThat(reservation.actual(Map.of())).isEmpty();
    }

    @Test
    void limitsInShadowAreSettledToo() {
        Evaluator evaluator = rig.inProcess("""
                rules:
                  - id: r
                    shadow: true
                    limits: [{ id: t, algorithm: fixed_window, limit: 10, window: 1h, cost: { reserve: 9, settle: answer.status } }]
                """);

        settle(evaluator, reservation(ruled(evaluator, Map.of())), 1);

        assertThat(ruled(evaluator, Map.of()).shadowRefused()).isEmpty();
        assertThat(ruled(evaluator, Map.of()).shadowRefused()).hasSize(1);
    }

    @Test
    void settlementsUnderWayAreKnown() {
        UnreliableEngine engine = new UnreliableEngine(new LocalEngine(rig.clock));
        Evaluator evaluator = rig.evaluator(TWO_ENGINES, new Limiter(engine, rig.clock, List.of()));
        Reservation reservation = reservation(ruled(evaluator, Map.of()));
        assertThat(evaluator.settlementsUnderWay()).isCompleted();
        engine.setMood(UnreliableEngine.Mood.LATE);

        var unused = evaluator.settle(reservation, Map.of("there.tokens", 3L), SOON);
        CompletableFuture<?> underWay = evaluator.settlementsUnderWay();

        assertThat(underWay).isNotDone();
        engine.deliver();
        assertThat(underWay).isCompleted();
        assertThat(evaluator.settlementsUnderWay()).isCompleted();
    }
}
