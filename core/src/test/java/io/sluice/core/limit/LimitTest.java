package io.sluice.core.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LimitTest {

    @Test
    void describesItself() {
        assertThat(Limit.named("orders").tokenBucket(Rate.perSecond(50)).withBurst(100))
                .hasToString("orders (token_bucket 50/s, burst 100)");
        assertThat(Limit.named("login").slidingLog(5, Duration.ofMinutes(1)))
                .hasToString("login (sliding_log 5 per 1m)");
        assertThat(new Rate(3, Duration.ofMillis(2_500))).hasToString("3/2500ms");
    }

    @Test
    void defaultBurstIsOneSecondOfTheRate() {
        assertThat(Limit.named("x").tokenBucket(Rate.perSecond(50)).capacity()).isEqualTo(50);
        assertThat(Limit.named("x").tokenBucket(Rate.perMinute(600)).capacity()).isEqualTo(10);
        assertThat(Limit.named("x").tokenBucket(Rate.perDay(1)).capacity()).isEqualTo(1);
        assertThat(Limit.named("x")
                        .tokenBucket(new Rate(5, Duration.ofMillis(10)))
                        .capacity())
                .isEqualTo(500);
    }

    @Test
    void tellsTheTimeInWhichARateRefillsItsBurst() {
        assertThat(Limit.named("x")
                        .tokenBucket(Rate.perSecond(50))
                        .withBurst(100)
                        .windowMicros())
                .isEqualTo(2_000_000);
        assertThat(Limit.named("x").tokenBucket(Rate.perSecond(3)).withBurst(1).windowMicros())
                .isEqualTo(333_334);
        assertThat(Limit.named("x").tokenBucket(Rate.perSecond(0)).windowMicros())
                .isZero();
    }

    @Test
    void refusesAlwaysWithoutRateOrBurst() {
        assertThat(Limit.named("x").tokenBucket(Rate.perSecond(0)).withBurst(9).capacity())
                .isZero();
        assertThat(Limit.named("x").tokenBucket(Rate.perSecond(9)).withBurst(0).capacity())
                .isZero();
    }

    @Test
    void countsSurviveAChangeOfNumbersAndNothingElse() {
        Limit log = Limit.named("x").slidingLog(5, Duration.ofMinutes(1));
        assertThat(Limit.named("x").slidingLog(9, Duration.ofSeconds(60)).shape())
                .isEqualTo(log.shape());
        assertThat(Limit.named("x").slidingLog(5, Duration.ofSeconds(61)).shape())
                .isNotEqualTo(log.shape());
        assertThat(Limit.named("x").tokenBucket(Rate.perSecond(5)).shape())
                .isEqualTo(Limit.named("x")
                        .tokenBucket(Rate.perDay(7))
                        .withBurst(3)
                        .shape())
                .isNotEqualTo(log.shape());
    }

    @Test
    void scalesDownButNeverToNothing() {
        TokenBucket bucket = Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(5);
        assertThat(bucket.scaled(0.5)).isEqualTo(new TokenBucket("x", new Rate(10, Duration.ofSeconds(2)), 2, 0));
        assertThat(bucket.scaled(0.01).capacity()).isEqualTo(1);
        assertThat(Limit.named("x")
                        .slidingLog(3, Duration.ofSeconds(1))
                        .scaled(0.01)
                        .limit())
                .isEqualTo(1);
        assertThat(Limit.named("x")
                        .slidingLog(0, Duration.ofSeconds(1))
                        .scaled(0.5)
                        .limit())
                .isZero();
        assertThatThrownBy(() -> bucket.scaled(0)).hasMessage("share: 0.0 (expected: above 0, at most 1)");
        assertThatThrownBy(() -> bucket.scaled(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesImpossibleNumbersAndSaysWhatIsExpected() {
        Limit.Named x = Limit.named("x");
        assertThatThrownBy(() -> Rate.perSecond(-3)).hasMessage("permits: -3 (expected: 0..1000000000000)");
        assertThatThrownBy(() -> Rate.perSecond(Long.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Rate.perSecond(1_000_000_001))
                .hasMessage("rate: 1000000001 per PT1S (expected: at most 1000000000 per second)");
        assertThatThrownBy(() -> new Rate(1, Duration.ZERO)).hasMessageContaining("per: PT0S (expected: whole micro");
        assertThatThrownBy(() -> new Rate(1, Duration.ofNanos(1_500))).hasMessageContaining("whole microseconds");
        assertThatThrownBy(() -> new Rate(1, Duration.ofDays(1_001))).hasMessageContaining("PT24000H");
        assertThatThrownBy(() -> new Rate(1, Duration.ofSeconds(Long.MAX_VALUE)))
                .hasMessageContaining("expected");
        assertThatThrownBy(() -> x.tokenBucket(Rate.perSecond(1)).withBurst(-1))
                .hasMessage("burst: -1 (expected: 0..1000000000000)");
        assertThatThrownBy(() -> x.slidingLog(100_001, Duration.ofSeconds(1)))
                .hasMessage("limit: 100001 (expected: 0..100000)");
        assertThatThrownBy(() -> x.slidingLog(1, Duration.ofSeconds(-1))).hasMessageContaining("window: PT-1S");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a:b", "a{b}", "a\nb", "é", "a/b"})
    void refusesNamesThatCouldNotBePartOfAKey(String name) {
        assertThatThrownBy(() -> Limit.named(name))
                .hasMessage("name: \"" + name + "\" (expected: 1 to 256 letters, digits, '-', '_', '.')");
    }

    @Test
    void refusesNamesThatAreTooLong() {
        assertThat(Limit.named("x".repeat(256)).name()).hasSize(256);
        assertThatThrownBy(() -> Limit.named("x".repeat(257))).hasMessageContaining("xxx…\"");
    }
}
