package io.sluice.rules.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.rules.cost.Cost.Settling;
import io.sluice.rules.pattern.Attributes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostTest {

    private static final AnswerAttribute TOTAL = AnswerAttribute.parse("answer.json.usage.total_tokens");

    @ParameterizedTest
    @CsvSource({
        "500, 500",
        "0, 0",
        "007, 7",
        "1000000000, 1000000000",
        "1000000001, 1000000000",
        "99999999999999999999999999999999, 1000000000",
        "'', 2000",
        "-1, 2000",
        "+1, 2000",
        "1.0, 1",
        "1e3, 1000",
        "1.5E+3, 1500",
        "12000e-3, 12",
        "0.0, 0",
        "0e999, 0",
        "1e999, 1000000000",
        "1000000000.5, 1000000000",
        "1.5, 2000",
        "1e-3, 2000",
        "1e9999, 2000",
        "1., 2000",
        ".5, 2000",
        "1e, 2000",
        "0x10, 2000",
        "NaN, 2000",
        "Infinity, 2000",
        "many, 2000",
        "٣, 2000",
        "' 5', 2000",
    })
    void reservesWhatTheRequestSaysIfThatIsAWholeNumber(String said, long expected) {
        Cost cost = new Cost.Reserved(new Reserve.Attribute("json.n", OptionalLong.of(2_000)), Optional.empty());

        assertThat(cost.permits(Attributes.of(Map.of("json.n", said)), 1)).isEqualTo(expected);
    }

    @Test
    void reservesTheDefaultOfARequestThatSaysNothing() {
        Attributes nothing = Attributes.of(Map.of());
        Reserve withDefault = new Reserve.Attribute("json.n", OptionalLong.of(0));
        Reserve without = new Reserve.Attribute("json.n", OptionalLong.empty());

        assertThat(new Cost.Reserved(withDefault, Optional.empty()).permits(nothing, 3))
                .isZero();
        assertThat(new Cost.Reserved(without, Optional.empty()).permits(nothing, 3))
                .isEqualTo(3);
        assertThat(new Cost.Reserved(new Reserve.Fixed(7), Optional.empty()).permits(nothing, 3))
                .isEqualTo(7);
        assertThat(new Cost.Always().permits(nothing, 3)).isEqualTo(3);
    }

    @Test
    void isForLimitsThatCanBeSettled() {
        Cost cost = new Cost.Reserved(new Reserve.Fixed(1), Optional.empty());
        Limit.Named named = Limit.named("a");
        Limit waiting = named.tokenBucket(Rate.perSecond(5)).withMaxWait(Duration.ofSeconds(1));

        assertThatThrownBy(() -> cost.check(named.concurrency(5, Duration.ofSeconds(1))))
                .hasMessage("cost: not allowed with concurrency (expected: token_bucket, fixed_window, sliding_window"
                        + " or sliding_log)");
        assertThatThrownBy(() -> cost.check(named.leakyBucket(Rate.perSecond(5))))
                .hasMessageStartingWith("cost: not allowed with leaky_bucket");
        assertThatThrownBy(() -> new Cost.Always().check(waiting))
                .hasMessage("max_wait: set together with charge: always (expected: none; such a call never waits)");
        assertThatCode(() -> cost.check(waiting)).doesNotThrowAnyException();
        assertThatCode(() -> new Cost.Always().check(named.slidingLog(5, Duration.ofSeconds(1))))
                .doesNotThrowAnyException();
    }

    @Test
    void nonsenseCannotBeBuilt() {
        assertThatThrownBy(() -> new Reserve.Fixed(-1)).hasMessage("reserve: -1 (expected: 0..1000000000)");
        assertThatThrownBy(() -> new Reserve.Attribute("", OptionalLong.empty()))
                .hasMessageContaining("json.max_tokens");
        assertThatThrownBy(() -> new Reserve.Attribute("a", OptionalLong.of(1_000_000_001)))
                .hasMessage("default: 1000000001 (expected: 0..1000000000)");
        assertThatThrownBy(() -> new Cost.Reserved(new Reserve.Fixed(0), Optional.empty()))
                .hasMessageStartingWith("reserve: 0 without settle");
        assertThatThrownBy(() -> new Settling(TOTAL, Duration.ofMillis(999)))
                .hasMessageEndingWith("(expected: 1s to 1d)");
        assertThatThrownBy(() -> new Settling(TOTAL, Duration.ofDays(1).plusMillis(1)))
                .hasMessageEndingWith("(expected: 1s to 1d)");
        assertThatThrownBy(() -> new Keep.Share(101)).hasMessage("keep: 101% (expected: 0%..100%)");
        assertThatThrownBy(() -> new Keep.Permits(-1)).hasMessage("keep: -1 (expected: 0..1000000000000)");
    }

    @ParameterizedTest
    @CsvSource({
        "10, 20%, 2",
        "7, 20%, 2",
        "1, 1%, 1",
        "0, 50%, 0",
        "5, 0%, 0",
        "1000000000000, 100%, 1000000000000",
        "5, 3, 3"
    })
    void aShareIsRoundedUpInFavourOfTheOthers(long capacity, String keep, long expected) {
        Limit limit = Limit.named("a").fixedWindow(capacity, Duration.ofMinutes(1));

        assertThat(Keep.parse(keep).orElseThrow().permits(limit)).isEqualTo(expected);
        assertThat(Keep.parse(keep).orElseThrow()).hasToString(keep);
    }

    @Test
    void namesAPlaceInTheAnswer() {
        assertThat(TOTAL.path()).isEqualTo(List.of("usage", "total_tokens"));
        assertThat(TOTAL).hasToString("answer.json.usage.total_tokens");
        assertThat(AnswerAttribute.parse("answer.header.X-Tokens")).hasToString("answer.header.x-tokens");
        assertThat(AnswerAttribute.parse("answer.status").source()).isEqualTo(AnswerAttribute.Source.STATUS);
        assertThat(AnswerAttribute.parse("answer.json." + "a".repeat(116)).name())
                .hasSize(116);
    }

    @ParameterizedTest
    @CsvSource({
        "answer",
        "answer.json",
        "answer.json.",
        "answer.json..a",
        "answer.json.a.",
        "answer.json.a b",
        "answer.header.",
        "answer.header.a b",
        "answer.header.ä",
        "answer.statuses",
        "Answer.json.a",
        "json.a",
        "''",
    })
    void namesNothingElse(String text) {
        assertThatThrownBy(() -> AnswerAttribute.parse(text)).hasMessageContaining("answer.json.<path>");
        assertThatThrownBy(() -> AnswerAttribute.parse("answer.json." + "a".repeat(117)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
