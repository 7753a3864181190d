package io.sluice.rules.evaluate;

import static io.sluice.rules.evaluate.CostRig.COMPLETIONS;
import static io.sluice.rules.evaluate.CostRig.left;
import static io.sluice.rules.evaluate.CostRig.reservation;
import static io.sluice.rules.evaluate.CostRig.ruled;
import static io.sluice.rules.evaluate.CostRig.ruling;
import static io.sluice.rules.evaluate.CostRig.settled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.core.Limiter;
import io.sluice.core.decorator.Guard;
import io.sluice.core.local.LocalEngine;
import io.sluice.rules.evaluate.Ruling.Reported;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.reserve.ReservedLimit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What requests are charged if limits have costs of their own, and what is reported of it. */
final class CostEvaluationTest {

    private final CostRig rig = new CostRig();

    @Test
    void eachLimitIsChargedItsOwnCost() {
        Evaluator evaluator = rig.inProcess(COMPLETIONS);

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
        Evaluator evaluator =
                rig.evaluator("""
                rules:
                  - id: r
                    guard: 1
                    limits:
                      - { id: calls, algorithm: fixed_window, limit: 1, window: 1h }
                      - { id: t, algorithm: fixed_window, limit: 100, window: 1h, cost: { reserve: 10 } }
                """, new Limiter(new Guard(new LocalEngine(rig.clock), rig.clock), rig.clock, List.of()));

        assertThat(left(ruled(evaluator, Map.of()), "r.t")).isEqualTo(90);
        Settled refused = ruled(evaluator, Map.of());

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.costs()).isEmpty();
    }

    @Test
    void theDefaultAppliesWhereTheRequestSaysNothingUseful() {
        Evaluator evaluator = rig.inProcess(COMPLETIONS);

        for (String said : List.of("many", "-3", "2.5", "")) {
            ruled(evaluator, Map.of("tenant", "t", "json.max_tokens", said));
        }
        Settled ruling = ruled(evaluator, Map.of("tenant", "t"));

        assertThat(left(ruling, "completions.budget")).isEqualTo(20_000 - 5 * 2_000);
    }

    @Test
    void aRequestThatCostsNothingDoesNotAskTheLimit() {
        Evaluator evaluator = rig.inProcess(
                "rules: [{ id: r, limits: [{ id: t, rate: 10/m, cost: { reserve: json.n, default: 10 } }] }]");

        assertThat(ruled(evaluator, Map.of()).allowed()).isTrue();
        assertThat(ruled(evaluator, Map.of("json.n", "1")).allowed()).isFalse();
        assertThat(ruled(evaluator, Map.of("json.n", "0")).allowed()).isTrue();
    }

    /** A look says what a request would get now. */
    @Test
    void aLookAndARequestAgreeAboutCosts() {
        Evaluator evaluator = rig.inProcess("""
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
        Evaluator evaluator = rig.inProcess(COMPLETIONS);
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
        Evaluator evaluator = rig.inProcess(COMPLETIONS);
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
        Evaluator evaluator = rig.inProcess(COMPLETIONS);

        Settled ruling = ruled(evaluator, Map.of("tenant", "t", "json.max_tokens", "999999999999"));

        assertThat(ruling.allowed()).isFalse();
        assertThat(ruling.retryAfter()).isEmpty();
        assertThat(left(ruled(evaluator, Map.of("tenant", "t")), "completions.budget"))
                .isEqualTo(18_000);
    }
}
