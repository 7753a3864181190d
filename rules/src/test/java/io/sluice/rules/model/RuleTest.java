package io.sluice.rules.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.FailurePolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RuleTest {

    private static final Limit TEN = Limit.named("a").tokenBucket(Rate.perSecond(10));
    private static final RuleLimit LIMIT = new RuleLimit("a.0", TEN, List.of(), AbsentPolicy.IP, Privacy.PLAIN);
    private static final Map<String, Condition> VIP = Map.of("plan", Condition.parse("plan", List.of("vip")));

    @Test
    void onlyRulesThatLimitHaveLimits() {
        assertThatThrownBy(() -> rule(Action.LIMIT, List.of(), List.of()))
                .hasMessage("limits: none (expected: at least one limit)");
        assertThatThrownBy(() -> rule(Action.DENY, List.of(LIMIT), List.of()))
                .hasMessage("action: deny (expected: limit, because the rule has limits)");
        assertThat(rule(Action.EXEMPT, List.of(), List.of()).limits()).isEmpty();
    }

    @Test
    void anOverrideIsOfALimitThatIsThereAndKeepsItsCount() {
        LimitOverride ok = new LimitOverride(VIP, 0, Limit.named("a").tokenBucket(Rate.perDay(1)), Optional.empty());
        assertThat(rule(Action.LIMIT, List.of(LIMIT), List.of(ok)).overrides()).containsExactly(ok);

        assertThatThrownBy(() ->
                        rule(Action.LIMIT, List.of(LIMIT), List.of(new LimitOverride(VIP, 1, TEN, Optional.empty()))))
                .hasMessage("overrides: for limit 1 (expected: 0..0)");
        Limit other = Limit.named("a").slidingLog(1, Duration.ofSeconds(1));
        assertThatThrownBy(() ->
                        rule(Action.LIMIT, List.of(LIMIT), List.of(new LimitOverride(VIP, 0, other, Optional.empty()))))
                .hasMessage(
                        "overrides: a (sliding_log 1 per 1s) (expected: other numbers for a (token_bucket 10/s, burst"
                                + " 10))");
        assertThatThrownBy(() -> new LimitOverride(Map.of(), 0, TEN, Optional.empty()))
                .hasMessage("when: empty (expected: at least one condition)");
    }

    @Test
    void impossibleHandlingCannotBeBuilt() {
        assertThatThrownBy(() -> handling(Mode.LOCAL, OptionalDouble.of(1.2), 20))
                .hasMessage("guard: with mode local (expected: no guard, there is no store)");
        assertThatThrownBy(() -> handling(Mode.DISTRIBUTED, OptionalDouble.of(Double.NaN), 20))
                .hasMessage("guard: NaN (expected: 1..1000)");
        assertThatThrownBy(() -> handling(Mode.DISTRIBUTED, OptionalDouble.empty(), 0))
                .hasMessage("deadline: PT0S (expected: PT0.001S to PT1M)");
        assertThatThrownBy(() -> new Lease(OptionalLong.of(0), 0.1, Duration.ofSeconds(1)))
                .hasMessage("size: 0 (expected: 1..1000000000)");
        assertThatThrownBy(() -> new Lease(OptionalLong.empty(), 1.1, Duration.ofSeconds(1)))
                .hasMessage("share: 1.1 (expected: more than 0 and at most 1)");
    }

    @Test
    void aMessageFallsBackToALanguageThatIsThere() {
        assertThat(Message.of("x").in("zh")).isEqualTo("x");
        Message both = new Message(Map.of("en", "no", "zh", "不"));
        assertThat(both.in("zh")).isEqualTo("不");
        assertThat(both.in("fr")).isEqualTo("no");
        assertThat(new Message(Map.of("zh", "不")).in("en")).isEqualTo("不");
        assertThatThrownBy(() -> new Message(Map.of("", "x", "en", "y")))
                .hasMessage("message: [, en] (expected: a text, or texts for [en, zh])");
    }

    private static Handling handling(Mode mode, OptionalDouble guard, long deadlineMillis) {
        return new Handling(
                mode,
                Lease.DEFAULT,
                FailurePolicy.LOCAL,
                OptionalDouble.empty(),
                Duration.ofMillis(deadlineMillis),
                guard);
    }

    private static Rule rule(Action action, List<RuleLimit> limits, List<LimitOverride> overrides) {
        return new Rule(
                "a",
                true,
                action,
                Scope.EVERYTHING,
                false,
                limits,
                List.of(),
                overrides,
                Handling.DEFAULT,
                RuleDescription.NOTHING);
    }
}
