package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.core.Limiter;
import io.sluice.core.decorator.ForwardingEngine;
import io.sluice.core.decorator.Guard;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.cost.AnswerAttribute;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Ruling.Reported;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservationText;
import io.sluice.rules.reserve.ReservedLimit;
import io.sluice.rules.reserve.SettledLimit;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.engine.UnreliableEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CostEvaluationTest {

    private static final String COMPLETIONS = """
            rules:
              - id: completions
                limits:
                  - { id: requests, by: tenant, rate: 60/m, burst: 60 }
                  - id: tokens
                    by: tenant
                    rate: 100000/m
                    cost: { reserve: json.max_tokens, default: 2000, settle: answer.json.usage.total_tokens }
                  - id: budget
                    by: tenant
                    algorithm: fixed_window
                    limit: 20000
                    align: month
                    cost: { reserve: json.max_tokens, default: 2000, settle: answer.json.usage.total_tokens }
            """;

    private static final String TWO_ENGINES = """
            rules:
              - id: here
                mode: local
                limits: [{ id: tokens, rate: 100/m, cost: { reserve: 10, settle: answer.json.tokens } }]
              - id: there
                limits:
                  - { id: tokens, rate: 100/m, cost: { reserve: 10, settle: answer.json.tokens } }
                  - { id: chars, rate: 100/m, cost: { reserve: 10, settle: answer.json.chars } }
            """;

    private static final Duration SOON = Duration.ofSeconds(1);

    private final ManualClock clock = ManualClock.at(1_000_000_000_000L);
    private final Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
    private final Limiter shared = new Limiter(new LocalEngine(clock), clock, List.of());
    private final List<SettledLimit> told = new ArrayList<>();
    private final List<String> unsettled = new ArrayList<>();
    private final List<String> standing = new ArrayList<>();

    @Test
    void eachLimitIsChargedItsOwnCost() {
        Evaluator evaluator = inProcess(COMPLETIONS);

        Settled ruling = ruled(evaluator, Map.of("tenant", "t", "json.max_tokens", "500"));

        assertThat(ruling.allowed()).isTrue();
        assertThat(ruling.costs())
                .extracting(Reported::id, Reported::remaining)
                .containsExactlyInAnyOrder(tuple("completions.tokens", 99_500L), tuple("completions.budget", 19_500L));
        assertThat(Objects.requireNonNull(ruling.reported()).id()).isEqualTo("completions.requests");
        assertThat(ruling.reported().remaining()).isEqualTo(59);
        assertThat(reservation(ruling).limits())
                .extracting(ReservedLimit::id, ReservedLimit::reserved)
                .containsExactlyInAnyOrder(tuple("completions.tokens", 500L), tuple("completions.budget", 500L));
    }

    /** A guard or a cached refusal does not ask the other limits. */
    @Test
    void costsOfLimitsThatWereNotAskedAreNotReported() {
        Evaluator evaluator = evaluator("""
                rules:
                  - id: r
                    guard: 1
                    limits:
                      - { id: calls, algorithm: fixed_window, limit: 1, window: 1h }
                      - { id: t, algorithm: fixed_window, limit: 100, window: 1h, cost: { reserve: 10 } }
                """, new Limiter(new Guard(new LocalEngine(clock), clock), clock, List.of()));

        assertThat(left(ruled(evaluator, Map.of()), "r.t")).isEqualTo(90);
        Settled refused = ruled(evaluator, Map.of());

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.costs()).isEmpty();
    }

    @Test
    void theDefaultAppliesWhereTheRequestSaysNothingUseful() {
        Evaluator evaluator = inProcess(COMPLETIONS);

        for (String said : List.of("many", "-3", "2.5", "")) {
            ruled(evaluator, Map.of("tenant", "t", "json.max_tokens", said));
        }
        Settled ruling = ruled(evaluator, Map.of("tenant", "t"));

        assertThat(left(ruling, "completions.budget")).isEqualTo(20_000 - 5 * 2_000);
    }

    @Test
    void settlingGivesBackWhatWasNotUsed() {
        Evaluator evaluator = inProcess(COMPLETIONS);
        Map<String, String> request = Map.of("tenant", "t", "json.max_tokens", "1000");
        Reservation reservation = reservation(ruled(evaluator, request));

        List<SettledLimit> settled = settle(evaluator, reservation, 300);

        assertThat(settled)
                .extracting(limit -> limit.limit().id() + " " + limit.result().change())
                .containsExactlyInAnyOrder("completions.tokens -700", "completions.budget -700");
        assertThat(told).hasSize(2);
        assertThat(left(ruled(evaluator, request), "completions.budget")).isEqualTo(20_000 - 300 - 1_000);
    }

    @Test
    void settlingChargesWhatWasUsedBeyondIntoDebt() {
        Evaluator evaluator = inProcess(COMPLETIONS);
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
        Evaluator evaluator = inProcess(COMPLETIONS);
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
        Evaluator evaluator = inProcess(COMPLETIONS);
        Map<String, String> request = Map.of("tenant", "t", "json.max_tokens", "1000");
        Reservation early = reservation(ruled(evaluator, request));
        Reservation late = reservation(ruled(evaluator, request));

        clock.advance(Duration.ofMinutes(5));
        assertThat(settle(evaluator, early, 0))
                .extracting(limit -> limit.result().kind())
                .containsOnly(SettlementResult.Kind.SETTLED);
        clock.advance(Duration.ofMillis(1));

        assertThat(settle(evaluator, late, 0)).extracting(SettledLimit::result).containsOnly(SettlementResult.UNKNOWN);
    }

    @Test
    void aTextOfAReservationIsTheReservation() {
        Evaluator evaluator = withStore("""
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
        Evaluator evaluator = inProcess(COMPLETIONS);
        Evaluator other = inProcess(COMPLETIONS);
        Reservation here = reservation(ruled(evaluator, Map.of("tenant", "t")));
        Reservation inStore = reservation(ruled(withStore(COMPLETIONS), Map.of("tenant", "t")));

        assertThat(settle(other, here, 0)).extracting(SettledLimit::result).containsOnly(SettlementResult.UNKNOWN);
        assertThat(settle(withStore(COMPLETIONS), inStore, 0))
                .extracting(limit -> limit.result().kind())
                .containsOnly(SettlementResult.Kind.SETTLED);
    }

    @Test
    void figuresOfUnknownLimitsAreRefused() {
        Evaluator evaluator = inProcess(COMPLETIONS);
        Reservation reservation = reservation(ruled(evaluator, Map.of("tenant", "t")));

        assertThatThrownBy(() -> evaluator.settle(reservation, Map.of("completions.requests", 1L), SOON))
                .hasMessageContaining(
                        "actual: completions.requests (expected: a limit of the reservation, completions.");
        assertThatThrownBy(() -> evaluator.settle(reservation, Map.of("completions.tokens", -1L), SOON))
                .hasMessageContaining("actual: -1");
    }

    @Test
    void aReservationOfNothingNeedsSomethingLeft() {
        Evaluator evaluator = inProcess("""
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

    @Test
    void aRequestThatCostsNothingDoesNotAskTheLimit() {
        Evaluator evaluator = inProcess(
                "rules: [{ id: r, limits: [{ id: t, rate: 10/m, cost: { reserve: json.n, default: 10 } }] }]");

        assertThat(ruled(evaluator, Map.of()).allowed()).isTrue();
        assertThat(ruled(evaluator, Map.of("json.n", "1")).allowed()).isFalse();
        assertThat(ruled(evaluator, Map.of("json.n", "0")).allowed()).isTrue();
    }

    /** The caller says what it really cost, also if it seemed to cost nothing. */
    @Test
    void aCallerThatReservesCanSettleARequestThatSeemsToCostNothing() {
        Evaluator evaluator = inProcess("""
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

    /** A look says what a request would get now. */
    @Test
    void aLookAndARequestAgreeAboutCosts() {
        Evaluator evaluator = inProcess("""
                rules:
                  - id: free
                    match: { path: /free }
                    limits: [{ id: t, algorithm: fixed_window, limit: 5, window: 1h, cost: { reserve: json.n } }]
                  - id: later
                    match: { path: /later }
                    limits: [{ id: t, algorithm: fixed_window, limit: 5, window: 1h, cost: { reserve: json.n, settle: answer.status } }]
                    overrides: [{ when: { plan: batch }, keep: 2 }]
                """);
        for (String path : List.of("/free", "/later")) {
            ruled(evaluator, Map.of("path", path, "json.n", "3"));
        }

        Map<String, String> kept = Map.of("path", "/later", "json.n", "0", "plan", "batch");
        assertThat(ruling(evaluator, kept, 0).allowed()).isTrue();
        assertThat(ruled(evaluator, kept).allowed()).isTrue();
        for (String path : List.of("/free", "/later")) {
            ruled(evaluator, Map.of("path", path, "json.n", "2"));
        }

        for (long permits : List.of(0L, 1L)) {
            assertThat(ruling(evaluator, Map.of("path", "/free", "json.n", "0"), permits)
                            .allowed())
                    .as("a request that costs nothing does not ask the limit")
                    .isTrue();
            assertThat(ruling(evaluator, Map.of("path", "/free"), permits).allowed())
                    .as("a request that says nothing costs a permit")
                    .isFalse();
            assertThat(ruling(evaluator, Map.of("path", "/later", "json.n", "0"), permits)
                            .allowed())
                    .as("a reservation of nothing needs something left")
                    .isFalse();
        }
    }

    @Test
    void anExplanationReportsTheLimitThatTheRequestWouldReport() {
        Evaluator evaluator = inProcess(COMPLETIONS);
        Map<String, String> request = Map.of("tenant", "t", "json.max_tokens", "19990");

        Settled explained = settled(evaluator
                .explain(Attributes.of(request), 1)
                .toCompletableFuture()
                .join()
                .ruling());
        Settled ruled = ruled(evaluator, request);

        for (Settled ruling : List.of(explained, ruled)) {
            assertThat(Objects.requireNonNull(ruling.reported()).id()).isEqualTo("completions.budget");
            assertThat(ruling.reported().remaining()).isEqualTo(10);
        }
    }

    @Test
    void anExplanationOfALookTakesNothingFromWhatRemains() {
        Evaluator evaluator = inProcess(COMPLETIONS);
        Map<String, String> request = Map.of("tenant", "t", "json.max_tokens", "500");

        for (long permits : List.of(0L, 1L)) {
            Settled explained = settled(evaluator
                    .explain(Attributes.of(request), permits)
                    .toCompletableFuture()
                    .join()
                    .ruling());

            assertThat(left(explained, "completions.budget")).isEqualTo(20_000 - 500 * permits);
            assertThat(Objects.requireNonNull(explained.reported()).remaining()).isEqualTo(60 - permits);
        }
        assertThat(left(ruling(evaluator, request, 0), "completions.budget")).isEqualTo(20_000);
    }

    @Test
    void whatCostsMoreThanALimitHoldsIsRefusedForEver() {
        Evaluator evaluator = inProcess(COMPLETIONS);

        Settled ruling = ruled(evaluator, Map.of("tenant", "t", "json.max_tokens", "999999999999"));

        assertThat(ruling.allowed()).isFalse();
        assertThat(ruling.retryAfter()).isEmpty();
        assertThat(left(ruled(evaluator, Map.of("tenant", "t")), "completions.budget"))
                .isEqualTo(18_000);
    }

    @Test
    void anAnswerHasTheFigures() {
        Evaluator evaluator = inProcess(COMPLETIONS);
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
        Evaluator evaluator = inProcess("""
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
    void aRequestThatIsGivenBackHasReservedNothingAlsoInShadow() {
        String rules = """
                rules:
                  - id: r
                    limits: [{ id: t, algorithm: fixed_window, limit: 10, window: 1h, cost: { reserve: 9, settle: answer.status } }]
                  - id: s
                    shadow: true
                    limits: [{ id: t, algorithm: fixed_window, limit: 10, window: 1h, cost: { reserve: 9, settle: answer.status } }]
                """;
        for (Evaluator evaluator : List.of(inProcess(rules), withStore(rules))) {
            told.clear();
            Settled ruling = ruled(evaluator, Map.of());

            evaluator.giveBack(ruling).toCompletableFuture().join();

            assertThat(told)
                    .extracting(limit -> limit.limit().id() + " " + limit.actual() + " "
                            + limit.result().change())
                    .containsExactlyInAnyOrder("r.t 0 -9", "s.t 0 -9");
            Settled next = ruled(evaluator, Map.of());
            assertThat(next.allowed()).isTrue();
            assertThat(next.shadowRefused()).isEmpty();
        }
        assertThat(unsettled).isEmpty();
    }

    @Test
    void aReservationThatNobodyLearnedOfIsGivenBackInSilence() {
        Evaluator evaluator = inProcess("""
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
        assertThat(told).isEmpty();
    }

    @Test
    void someRequestsLeaveAPartForOthers() {
        Evaluator evaluator = inProcess("""
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
    void usageIsChargedIntoDebtAndTheCallPasses() {
        for (Evaluator evaluator : List.of(inProcess(usage()), withStore(usage()))) {
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
        Evaluator evaluator = inProcess(candidate);

        assertThat(ruling(evaluator, Map.of(), 4).costs())
                .extracting(Reported::id, Reported::remaining)
                .containsExactly(tuple("r.t", 6L));
        assertThat(ruling(evaluator, Map.of(), 1).reported())
                .extracting(Reported::id, Reported::remaining)
                .containsExactly("r.t", 5L);
        assertThat(ruling(evaluator, Map.of(), 0).shadowRefused())
                .as("the candidate is used up")
                .hasSize(1);
        assertThat(ruling(inProcess(shadow), Map.of(), 1).reported()).isNull();
    }

    @Test
    void aStoreThatFailsToChargeUsageInShadowDegradesNothing() {
        shared.close();
        Settled ruling = ruling(withStore("""
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
                new ForwardingEngine(new LocalEngine(clock)) {
                    @Override
                    public CompletionStage<List<SettlementResult>> settle(List<Settlement> settlements) {
                        return CompletableFuture.failedFuture(new UnsupportedOperationException());
                    }
                },
                clock,
                List.of());
        Evaluator evaluator = evaluator("""
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
        assertThat(standing).containsExactly("there.t");
    }

    @Test
    void usageOfARefusedCallIsNotCharged() {
        Evaluator evaluator = inProcess("""
                rules:
                  - { id: a, limits: [{ algorithm: fixed_window, limit: 1, window: 1h }] }
                  - { id: b, limits: [{ id: t, algorithm: fixed_window, limit: 10, window: 1h, cost: { charge: always } }] }
                """);

        assertThat(ruled(evaluator, Map.of()).allowed()).isTrue();
        assertThat(ruled(evaluator, Map.of()).allowed()).isFalse();

        assertThat(told).hasSize(1);
    }

    @Test
    void aReservationThatWillNotBeSettledIsNoted() {
        Evaluator evaluator = inProcess(COMPLETIONS);

        evaluator.unsettled(reservation(ruled(evaluator, Map.of("tenant", "t"))), "aborted");

        assertThat(unsettled).containsExactly("aborted");
    }

    @Test
    void aReservationThatTheStoreMayHaveMadeIsNoted() {
        shared.close();

        Settled ruling = ruled(withStore("""
                rules:
                  - id: r
                    on_failure: open
                    limits: [{ id: t, rate: 10/m, cost: { reserve: 2, settle: answer.status } }]
                """), Map.of());

        assertThat(ruling.allowed()).isTrue();
        assertThat(ruling.degraded()).isNotNull();
        assertThat(ruling.reservation()).isNull();
        assertThat(unsettled).containsExactly("degraded");
    }

    @Test
    void onlyWhatTheStoreDidNotSettleStands() {
        UnreliableEngine engine = new UnreliableEngine(new LocalEngine(clock));
        Evaluator evaluator = evaluator(TWO_ENGINES, new Limiter(engine, clock, List.of()));
        Reservation reservation = reservation(ruled(evaluator, Map.of()));
        engine.setMood(UnreliableEngine.Mood.FAILS);

        CompletableFuture<?> settling = evaluator
                .settle(reservation, Map.of("here.tokens", 3L, "there.tokens", 3L), SOON)
                .toCompletableFuture();
        clock.advance(SOON);

        assertThat(settling).isCompletedExceptionally();
        assertThat(told).extracting(settled -> settled.limit().id()).containsExactly("here.tokens");
        assertThat(standing).containsExactly("there.tokens");
        assertThat(unsettled).containsExactly("failed");
    }

    @Test
    void settlementsUnderWayAreKnown() {
        UnreliableEngine engine = new UnreliableEngine(new LocalEngine(clock));
        Evaluator evaluator = evaluator(TWO_ENGINES, new Limiter(engine, clock, List.of()));
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

    private static String usage() {
        return "rules: [{ id: r, limits: [{ id: t, rate: 100/m, cost: { charge: always } }] }]";
    }

    private Evaluator inProcess(String document) {
        return evaluator(document, null);
    }

    private Evaluator withStore(String document) {
        return evaluator(document, shared);
    }

    private Evaluator evaluator(String document, @Nullable Limiter store) {
        RuleDocument read = RuleDocument.parse("test", document);
        assertThat(read).isInstanceOf(RuleDocument.Accepted.class);
        RuleSet rules = new RuleSet(7, ((RuleDocument.Accepted) read).rules());
        return new Evaluator(() -> rules, local, store, KeySettings.ofThisProcess(), clock, new RulingListener() {
            @Override
            public void ruled(Settled ruling, long elapsedNanos) {}

            @Override
            public void settled(SettledLimit settled) {
                told.add(settled);
            }

            @Override
            public void unsettled(Reservation reservation, String reason) {
                unsettled.add(reason);
                reservation.limits().forEach(limit -> standing.add(limit.id()));
            }
        });
    }

    private static Settled ruled(Evaluator evaluator, Map<String, String> request) {
        return ruling(evaluator, request, 1);
    }

    private static Settled ruling(Evaluator evaluator, Map<String, String> request, long permits) {
        return settled(evaluator.evaluate(Attributes.of(request), permits));
    }

    private static Settled settled(CompletionStage<Ruling> ruling) {
        return settled(ruling.toCompletableFuture().join());
    }

    private static Settled settled(Ruling ruling) {
        return (Settled) ruling;
    }

    private static Reservation reservation(Settled ruling) {
        return Objects.requireNonNull(ruling.reservation());
    }

    private static List<SettledLimit> settle(Evaluator evaluator, Reservation reservation, long actual) {
        Map<String, Long> figures = new HashMap<>();
        reservation.limits().forEach(limit -> figures.put(limit.id(), actual));
        return evaluator
                .settle(reservation, figures, SOON)
                .toCompletableFuture()
                .join();
    }

    private static long left(Settled ruling, String limit) {
        return ruling.costs().stream()
                .filter(each -> each.id().equals(limit))
                .findFirst()
                .orElseThrow()
                .remaining();
    }
}
