package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What callers see of rulings by rules whose names come from code. */
final class ShownRulingsTest {

    private final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    private final RuleSet set = new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("test", """
            rules:
              - id: Shop.chat
                limits:
                  - { id: calls, limit: 10, window: 1h }
                  - { id: tokens, limit: 100, window: 1h, cost: { reserve: 30, settle: answer.status } }
                overrides: [{ when: { plan: batch }, of: tokens, keep: 50% }]
            """)).rules());
    private final Evaluator evaluator = new Evaluator(
            () -> set,
            new Limiter(new LocalEngine(clock), clock, List.of()),
            null,
            KeySettings.ofThisProcess(),
            clock,
            (ruling, nanos) -> {});
    private final ShownRulings shown = new ShownRulings(id -> id.equals("Shop.chat") ? "method-1" : id);

    @Test
    void costsHaveTheShownNamesAndTheReservationStays() {
        Ruling.Settled ruling = ruled("top");

        Ruling.Settled told = shown.of(ruling);

        assertThat(told.costs())
                .extracting(each -> each.rule() + " " + each.id() + " " + each.remaining())
                .containsExactly("method-1 method-1.tokens 70");
        assertThat(told.reservation()).isEqualTo(ruling.reservation()).isNotNull();
    }

    @Test
    void aRefusalSaysThatTheRestIsKeptForOthers() {
        assertThat(ruled("top").allowed()).isTrue();

        assertThat(shown.of(ruled("batch")).keptForOthers()).isTrue();
    }

    private Ruling.Settled ruled(String plan) {
        return (Ruling.Settled) evaluator
                .evaluate(Attributes.of(Map.of("plan", plan)), 1)
                .toCompletableFuture()
                .join();
    }
}
