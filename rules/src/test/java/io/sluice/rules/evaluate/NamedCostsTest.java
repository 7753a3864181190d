package io.sluice.rules.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Ruling.Reported;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.ReservedLimit;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several claims on one rule, for the same caller or for several ones, with costs and with what they keep for others. */
final class NamedCostsTest {

    private final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    private final Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
    private final Limiter shared = new Limiter(new LocalEngine(clock), clock, List.of());

    private RuleSet set = RuleSet.none();
    private final Evaluator inProcess = evaluator(null);
    private final Evaluator withStore = evaluator(shared);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void usageOfSeveralCallersIsChargedToEachOfThem(boolean inStore) {
        inForce("rules: [{ id: r, limits: [{ by: key, limit: 100, window: 1h, cost: { charge: always } }] }]");

        Settled both = ruled(inStore, claim(5, "key", "a"), claim(7, "key", "b"));

        assertThat(both.costs()).extracting(Reported::remaining).containsExactly(95L, 93L);
        assertThat(ruled(inStore, claim(1, "key", "a")).costs())
                .extracting(Reported::remaining)
                .containsExactly(94L);
        assertThat(ruled(inStore, claim(1, "key", "b")).costs())
                .extracting(Reported::remaining)
                .containsExactly(92L);
    }

    @Test
    void usageOfOneCallerIsChargedOnce() {
        inForce("rules: [{ id: r, limits: [{ by: key, limit: 100, window: 1h, cost: { charge: always } }] }]");

        Settled both = ruled(false, claim(5, "key", "a"), claim(7, "key", "a"));

        assertThat(both.costs()).extracting(Reported::remaining).containsExactly(88L);
    }

    @Test
    void aRefusalOfOneOfSeveralCallersSaysWhatIsKeptAndItsOwnNumbers() {
        inForce("""
                rules:
                  - id: r
                    limits: [{ by: key, limit: 10, window: 1m }]
                    overrides:
                      - { when: { plan: batch }, keep: 50% }
                      - { when: { plan: large }, limit: 20 }
                """);
        assertThat(ruled(false, claim(5, "key", "b")).allowed()).isTrue();

        Settled refused = ruled(false, claim(1, "key", "a", "plan", "large"), claim(1, "key", "b", "plan", "batch"));

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.keptForOthers()).isTrue();
        assertThat(Objects.requireNonNull(refused.reported()).limit().capacity())
                .isEqualTo(10);
        assertThat(refused.reported().remaining()).isEqualTo(5);
    }

    @Test
    void aRefusalBesideACallerThatKeepsMoreIsNotKeptForOthers() {
        inForce("""
                rules:
                  - id: r
                    limits: [{ by: key, limit: 10, window: 1m }]
                    overrides: [{ when: { plan: batch }, keep: 50% }]
                """);
        assertThat(ruled(false, claim(10, "key", "b")).allowed()).isTrue();

        Settled refused = ruled(false, claim(1, "key", "a", "plan", "batch"), claim(1, "key", "b"));

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.keptForOthers()).isFalse();
    }

    @Test
    void eachCallersCostIsReportedWithItsOwnNumbers() {
        inForce("""
                rules:
                  - id: r
                    limits: [{ by: key, limit: 10, window: 1m, cost: { reserve: json.n, settle: answer.status } }]
                    overrides: [{ when: { plan: large }, limit: 20 }]
                """);

        Settled both =
                ruled(false, claim(1, "key", "a", "plan", "large", "json.n", "3"), claim(1, "key", "b", "json.n", "4"));

        assertThat(both.costs())
                .extracting(reported -> reported.limit().capacity(), Reported::remaining)
                .containsExactly(tuple(20L, 17L), tuple(10L, 6L));
        assertThat(reservation(both).limits())
                .extracting(ReservedLimit::reserved)
                .containsExactly(3L, 4L);
    }

    @Test
    void claimsThatTogetherCostMoreThanARequestMayAskForAreImpossibleAndChargeNothing() {
        inForce("""
                rules:
                  - id: r
                    limits: [{ algorithm: fixed_window, limit: 1000000000000, window: 1h, cost: { reserve: json.n } }]
                """);
        RuleCall most = claim(1, "json.n", "1000000000");

        assertThat(ruling(most, claim(1, "json.n", "1"))).isInstanceOf(Ruling.Impossible.class);

        assertThat(ruled(false, most).costs()).extracting(Reported::remaining).containsExactly(999_000_000_000L);
    }

    /** Shadow limits count as if they were in force. */
    @ParameterizedTest
    @ValueSource(strings = {"shadow: true, limits", "limits: [{ limit: 99, window: 1h }], candidate"})
    void claimsOnOneCountInShadowAreTheirSum(String inShadow) {
        inForce("rules: [{ id: r, " + inShadow
                + ": [{ id: t, algorithm: fixed_window, limit: 10, window: 1h, cost: { reserve: json.n, settle: answer.status } }]"
                + " }]");
        RuleCall four = claim(1, "json.n", "4");
        RuleCall six = claim(1, "json.n", "6");

        assertThat(ruled(false, six, six).shadowRefused()).hasSize(1);
        Settled both = ruled(false, four, six);
        assertThat(both.shadowRefused()).isEmpty();
        assertThat(reservation(both).limits())
                .extracting(ReservedLimit::reserved)
                .containsExactly(10L);
        settle(both, 4);

        assertThat(ruled(false, six).shadowRefused()).isEmpty();
        assertThat(ruled(false, claim(1, "json.n", "1")).shadowRefused()).hasSize(1);
    }

    @Test
    void limitsInShadowHoldOnePermitForTheSumOfClaims() {
        inForce("rules: [{ id: r, shadow: true, limits: [{ algorithm: concurrency, limit: 5, ttl: 1m }] }]");

        Settled both = ruled(false, claim(2), claim(3));
        assertThat(both.shadowRefused()).isEmpty();
        assertThat(ruled(false, claim(1)).shadowRefused()).hasSize(1);
        inProcess
                .release(Objects.requireNonNull(both.permit()))
                .toCompletableFuture()
                .join();

        assertThat(ruled(false, claim(5)).shadowRefused()).isEmpty();
    }

    private Evaluator evaluator(@Nullable Limiter store) {
        return new Evaluator(() -> set, local, store, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> {});
    }

    private void inForce(String text) {
        RuleDocument document = RuleDocument.parse("test.yaml", text);
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        set = new RuleSet(7, ((RuleDocument.Accepted) document).rules());
    }

    /** Returns a claim on rule r of a request with these attributes, names and values in turn. */
    private RuleCall claim(long permits, String... attributes) {
        Map<String, String> request = new HashMap<>();
        for (int i = 0; i < attributes.length; i += 2) {
            request.put(attributes[i], attributes[i + 1]);
        }
        return new RuleCall(set.rule("r").orElseThrow(), Attributes.of(request), permits);
    }

    private Settled ruled(boolean inStore, RuleCall... claims) {
        return (Settled) (inStore ? withStore : inProcess)
                .evaluateNamed(List.of(claims))
                .toCompletableFuture()
                .join();
    }

    private Ruling ruling(RuleCall... claims) {
        return inProcess.evaluateNamed(List.of(claims)).toCompletableFuture().join();
    }

    private static Reservation reservation(Settled ruling) {
        return Objects.requireNonNull(ruling.reservation());
    }

    private void settle(Settled ruling, long figure) {
        Reservation made = reservation(ruling);
        Map<String, Long> actual = new HashMap<>();
        made.limits().forEach(limit -> actual.put(limit.id(), figure));
        inProcess
                .settle(made, actual, Duration.ofSeconds(1))
                .toCompletableFuture()
                .join();
    }
}
