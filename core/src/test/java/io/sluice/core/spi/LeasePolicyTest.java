package io.sluice.core.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeasePolicyTest {

    @ParameterizedTest
    @CsvSource({
        "0.1, 10, 1",
        "0.1, 9, 0",
        "0.29, 100, 29",
        "0.57, 100, 57",
        "0.999, 1000, 999",
        "1, 7, 7",
        "0.5, 0, 0",
        "1, 1000000000000, 1000000000000",
        "0.1, 999999999999, 99999999999"
    })
    void leasesNoMoreThanTheShare(double share, long capacity, long most) {
        Limit limit = Limit.named("l").fixedWindow(capacity, Duration.ofSeconds(1));
        assertThat(new LeasePolicy(0, share, 1).most(limit)).isEqualTo(most);
    }

    @Test
    void neverLeasesLogsAndPermitsThatAreHeld() {
        LeasePolicy all = new LeasePolicy(0, 1, 1_000_000);
        assertThat(all.most(Limit.named("l").slidingLog(1_000, Duration.ofSeconds(1))))
                .isZero();
        assertThat(all.most(Limit.named("l").concurrency(1_000, Duration.ofSeconds(1))))
                .isZero();
    }

    @Test
    void aBucketThatNeverRefillsIsNotLeased() {
        TokenBucket stopped = Limit.named("l").tokenBucket(Rate.perSecond(0)).withBurst(1_000);
        assertThat(new LeasePolicy(0, 1, 1_000_000).most(stopped)).isZero();
    }

    @Test
    void refusesNonsense() {
        assertThatThrownBy(() -> new LeasePolicy(-1, 0.1, 1)).hasMessage("size: -1 (expected: 0..1000000000)");
        assertThatThrownBy(() -> new LeasePolicy(0, 1.1, 1)).hasMessage("share: 1.1 (expected: 0..1)");
        assertThatThrownBy(() -> new LeasePolicy(0, Double.NaN, 1)).hasMessage("share: NaN (expected: 0..1)");
        assertThatThrownBy(() -> new LeasePolicy(0, 0.1, 0)).hasMessageStartingWith("ttlMicros: 0 (expected: 1..");
        assertThatThrownBy(() -> new LeasePolicy(0, 0.1, Long.MAX_VALUE)).hasMessageStartingWith("ttlMicros: ");
    }

    @Test
    void demandsAreNotLeasedUnlessTheySaySo() {
        Demand demand = Demand.of(Limit.named("l").tokenBucket(Rate.perSecond(5)), "k", 1);
        LeasePolicy policy = new LeasePolicy(7, 0.5, 1_000);

        assertThat(demand.lease()).isEqualTo(LeasePolicy.NONE);
        assertThat(demand.leasedBy(policy).lease()).isEqualTo(policy);
        assertThat(demand.leasedBy(policy)
                        .guardedBy(2)
                        .on(demand.limit())
                        .waitingUpTo(3)
                        .lease())
                .isEqualTo(policy);
    }
}
