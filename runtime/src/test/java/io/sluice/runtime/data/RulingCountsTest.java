package io.sluice.runtime.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RulingCountsTest {

    private static final String RULES = """
            rules:
              - { id: login, match: { path: /login }, limits: [{ by: ip, algorithm: fixed_window, limit: 2, window: 1h }] }
              - { id: shy, shadow: true, match: { path: /login }, limits: [{ algorithm: fixed_window, limit: 1, window: 1h }] }
            """;

    private final ManualClock clock = QuietClock.at(0);
    private final DataOutbox outbox = DataOutbox.acknowledged();
    private final RulingCounts counts = new RulingCounts(outbox, clock, Runnable::run);
    private final RuleSet rules =
            new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("rules.yaml", RULES)).rules());
    private final Evaluator evaluator = new Evaluator(
            () -> rules,
            new Limiter(new LocalEngine(clock), clock, List.of()),
            null,
            KeySettings.ofThisProcess(),
            clock,
            counts);

    @Test
    void tellsEachSecondWhatWasDecidedInIt() {
        counts.start();
        ask("/login", 3);
        ask("/other", 4);
        clock.advance(Duration.ofSeconds(1));
        clock.advance(Duration.ofSeconds(1));
        ask("/login", 1);
        clock.advance(Duration.ofSeconds(1));
        List<SecondCounts> told = told();
        assertThat(told).hasSize(2);
        assertThat(told.get(0).rules())
                .isEqualTo(Map.of(
                        "login", new Figures(2, 1, 0, 0), "shy", new Figures(0, 0, 2, 0), "", new Figures(4, 0, 0, 0)));
        assertThat(told.get(0).latencies().count()).isEqualTo(7);
        assertThat(told.get(1).total()).isEqualTo(new Figures(0, 1, 1, 0));
        assertThat(told.get(1).second() - told.get(0).second()).isEqualTo(2);
    }

    @Test
    void aRuleThatIsUsedAgainAfterAWhileIsCountedAgain() {
        counts.start();
        ask("/other", 2);
        for (int i = 0; i < 700; i++) {
            clock.advance(Duration.ofSeconds(1));
        }
        ask("/other", 3);
        clock.advance(Duration.ofSeconds(1));
        assertThat(told().stream().mapToLong(each -> each.total().requests()).sum())
                .isEqualTo(5);
    }

    @Test
    void aSecondWithVeryManyRulesTravelsInSeveralBatches() {
        StringBuilder text = new StringBuilder("rules:\n");
        for (int i = 0; i < 12_000; i++) {
            text.append("  - { id: rule-").append(i).append(", action: deny }\n");
        }
        for (Rule rule : ((RuleDocument.Accepted) RuleDocument.parse("t", text.toString())).rules()) {
            counts.ruled(denied(rule), 1_000);
        }
        counts.flush();
        List<SecondCounts> told = told();
        assertThat(told).hasSize(3);
        assertThat(told.stream().mapToLong(each -> each.total().refused()).sum())
                .isEqualTo(12_000);
        assertThat(told.stream().mapToLong(each -> each.latencies().count()).sum())
                .isEqualTo(12_000);
    }

    private static Ruling.Settled denied(Rule rule) {
        return new Ruling.Settled(
                false, Action.DENY, rule, null, Optional.empty(), "local", 1, List.of(rule.id()), List.of(), 1);
    }

    @Test
    void looksAreNotCounted() {
        var unused = evaluator.evaluate(Attributes.of(Map.of("path", "/login")), 0);
        counts.flush();
        assertThat(told()).isEmpty();
    }

    @Test
    void tellsTheRestWhenTheProcessStops() {
        counts.start();
        ask("/other", 2);
        counts.flush();
        assertThat(told()).hasSize(1);
        ask("/other", 1);
        counts.close();
        assertThat(told()).hasSize(2);
        ask("/other", 2);
        clock.advance(Duration.ofSeconds(5));
        assertThat(told()).hasSize(2);
    }

    private void ask(String path, int times) {
        for (int i = 0; i < times; i++) {
            var unused = evaluator.evaluate(Attributes.of(Map.of("path", path, "ip", "192.0.2.1")), 1);
        }
    }

    private List<SecondCounts> told() {
        return outbox.report(0).batches().stream()
                .map(batch -> SecondCounts.of(batch.content()))
                .toList();
    }
}
