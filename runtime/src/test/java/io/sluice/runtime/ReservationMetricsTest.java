package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ReservationMetricsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final ManualClock clock = QuietClock.at(0);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final RateLimitMetrics metrics = RateLimitMetrics.ofSets(registry, set -> Set.of(), set -> Set.of());
    private RuleSet rules = parsed("""
            rules:
              - id: llm
                limits:
                  - { id: tokens, by: user, limit: 1000, window: 1h, cost: { reserve: 100, settle: answer.json.n } }
                  - { id: budget, by: user, limit: 9000, window: 1d, cost: { reserve: 100, settle: answer.json.n } }
              - id: usage
                resource: /usage
                limits: [{ limit: 1000, window: 1h, cost: { charge: always } }]
            """);
    private final Evaluator evaluator = new Evaluator(
            () -> rules,
            new Limiter(new LocalEngine(clock), clock, List.of()),
            null,
            KeySettings.ofThisProcess(),
            clock,
            new RulingListeners(List.of((ruling, nanos) -> {}, metrics)));

    @Test
    void countsWhatIsReservedSettledAndOpenForEachLimit() {
        Reservation first = reservation("u-1");
        Reservation second = reservation("u-2");
        assertThat(all("sluice_reservations")).containsOnly(Map.entry("llm.tokens", 2.0), Map.entry("llm.budget", 2.0));
        assertThat(all("sluice_reservations_open"))
                .containsOnly(Map.entry("llm.tokens", 2.0), Map.entry("llm.budget", 2.0));

        settle(first, Map.of("llm.tokens", 40L));
        settle(first, Map.of("llm.tokens", 40L));
        settle(first, Map.of("llm.tokens", 41L));
        clock.advance(Duration.ofMinutes(6));
        settle(second, Map.of("llm.budget", 7L));

        assertThat(all("sluice_settlements"))
                .containsOnly(
                        Map.entry("llm.tokens settled", 1.0),
                        Map.entry("llm.tokens repeated", 1.0),
                        Map.entry("llm.tokens conflict", 1.0),
                        Map.entry("llm.budget unknown", 1.0));
        assertThat(all("sluice_reservations_open"))
                .containsOnly(Map.entry("llm.tokens", 1.0), Map.entry("llm.budget", 2.0));
    }

    @Test
    void whatNobodyHasToSettleIsNotOpen() {
        rules = parsed("rules: [{ id: plain, limits: [{ limit: 10, window: 1h }] }]");
        Ruling ruling = evaluator
                .evaluateReserving(Attributes.of(Map.of()), 3)
                .toCompletableFuture()
                .join();
        assertThat(all("sluice_reservations")).containsOnly(Map.entry("plain.0", 1.0));
        settle(Objects.requireNonNull(((Ruling.Settled) ruling).reservation()), Map.of("plain.0", 1L));
        assertThat(all("sluice_settlements")).containsOnly(Map.entry("plain.0 settled", 1.0));
        assertThat(all("sluice_reservations_open")).isEmpty();
    }

    @Test
    void countsReservationsThatStandByTheReason() {
        evaluator.unsettled(reservation("u-1"), "aborted");

        assertThat(all("sluice_reservations_unsettled"))
                .containsOnly(Map.entry("llm.tokens aborted", 1.0), Map.entry("llm.budget aborted", 1.0));
        assertThat(all("sluice_reservations_open")).containsEntry("llm.tokens", 1.0);
    }

    @Test
    void usageThatNobodyReservedSettlesNothing() {
        Ruling ruling = evaluator
                .evaluate(Attributes.of(Map.of("path", "/usage", "user", "u")), 5_000)
                .toCompletableFuture()
                .join();

        assertThat(ruling).isInstanceOf(Ruling.Settled.class);
        assertThat(all("sluice_settlements")).isEmpty();
        assertThat(all("sluice_reservations_open")).doesNotContainKey("usage.0");
    }

    @Test
    void callersAddNoSeriesAndDroppedRulesLoseTheirs() {
        settle(reservation("u"), Map.of("llm.tokens", 1L));
        int before = registry.getMeters().size();
        for (int i = 0; i < 1_000; i++) {
            settle(reservation("u-" + i), Map.of("llm.tokens", 1L));
        }
        assertThat(registry.getMeters()).hasSize(before);

        Reservation late = reservation("late");
        rules = parsed("rules: [{ id: other, limits: [{ limit: 1, window: 1h }] }]");
        metrics.changed(rules);
        assertThat(all("sluice_reservations")).isEmpty();
        assertThat(all("sluice_reservations_open")).isEmpty();

        settle(late, Map.of("llm.tokens", 1L));
        metrics.changed(rules);
        assertThat(all("sluice_settlements")).isEmpty();
    }

    private Reservation reservation(String user) {
        Ruling ruling = evaluator
                .evaluate(Attributes.of(Map.of("user", user)), 1)
                .toCompletableFuture()
                .join();
        return Objects.requireNonNull(((Ruling.Settled) ruling).reservation());
    }

    private void settle(Reservation reservation, Map<String, Long> actual) {
        evaluator.settle(reservation, actual, LONG).toCompletableFuture().join();
    }

    /** Returns the values by the limit and the label beside it. */
    private Map<String, Double> all(String name) {
        Map<String, Double> all = new TreeMap<>();
        for (Meter meter : registry.find(name).meters()) {
            String result = meter.getId().getTag("result");
            String reason = meter.getId().getTag("reason");
            String more = result == null ? reason : result;
            double value = meter.measure().iterator().next().getValue();
            all.put(meter.getId().getTag("limit") + (more == null ? "" : " " + more), value);
        }
        return all;
    }

    private static RuleSet parsed(String text) {
        return new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("t", text)).rules());
    }
}
