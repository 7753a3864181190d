package io.sluice.redis.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.time.ManualClock;
import io.sluice.redis.internal.wire.LeaseRequest;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How large leases are where a limit has ample room and where it has not, and what many keys cost the store. */
final class LeaseSizingTest {

    private static final LeasePolicy LEASE = new LeasePolicy(0, 0.1, 1_000_000);
    private static final Limit WIDE = Limit.named("wide").fixedWindow(1_000_000, Duration.ofDays(1));

    private final ManualClock clock = QuietClock.at(1_700_006_400_000_000L);
    private final LeaseModel model = new LeaseModel(clock::epochMicros, Runnable::run);
    private final Leases leases = Leases.over(model.engine(), model, clock, LeaseListener.NONE, 1_000, new OnTheSpot());

    @Test
    void aLeaseLastsForHalfItsTimeWhereRoomIsAmple() {
        run(demand(WIDE, "k"), 3_000, Duration.ofMillis(1));
        assertThat(last().wanted()).isBetween(400L, 600L);
    }

    @Test
    void theFirstLeaseIsNoLargerThanTwiceTheDemandBecauseTheRoomIsUnknown() {
        run(demand(WIDE, "k"), 8, Duration.ZERO);
        assertThat(model.requests).hasSize(1);
        assertThat(last().wanted()).isEqualTo(16);
    }

    @Test
    void aLeaseGrowsFourfoldAtMost() {
        run(demand(WIDE, "k"), 5_000, Duration.ofNanos(100_000));
        assertThat(model.requests).hasSizeGreaterThan(3);
        for (int i = 1; i < model.requests.size(); i++) {
            long before = model.requests.get(i - 1).wanted();
            assertThat(model.requests.get(i).wanted()).isLessThanOrEqualTo(4 * before);
        }
    }

    @Test
    void aLeaseOfAHundredMillisecondsIsAllThatASmallShareGives() {
        Limit small = Limit.named("small").fixedWindow(10_000, Duration.ofDays(1));
        run(demand(small, "k"), 3_000, Duration.ofMillis(1));
        assertThat(last().wanted()).isBetween(80L, 120L);
    }

    @Test
    void aLeaseShrinksAsTheLimitIsUsedUp() {
        LeasePolicy all = new LeasePolicy(0, 1, 1_000_000);
        Demand demand = Demand.of(Limit.named("ending").fixedWindow(20_000, Duration.ofDays(1)), "k", 1)
                .leasedBy(all);
        run(demand, 5_000, Duration.ofMillis(1));
        assertThat(last().wanted()).isBetween(400L, 600L);
        run(demand, 14_000, Duration.ofMillis(1));
        assertThat(last().wanted()).isBetween(50L, 150L);
    }

    @Test
    void theEndOfAUsedUpLeaseIsReportedWithTheNextRequestWhereRoomIsAmple() {
        run(demand(WIDE, "k"), 600, Duration.ofMillis(5));
        int requests = model.requests.size();
        long calls = model.calls;
        run(demand(WIDE, "k"), 1_000, Duration.ofMillis(5));
        assertThat(model.requests).hasSizeGreaterThan(requests + 5);
        assertThat(model.calls - calls).isEqualTo(model.requests.size() - requests);
        assertThat(model.outstanding(WIDE, "k")).isLessThan(300);
    }

    /** Each key alone would be worth ten requests per second if its leases lasted for a hundred milliseconds. */
    @Test
    void aThousandKeysWithLittleTrafficEachAskSeldom() {
        int keys = 1_000;
        Random random = new Random(7);
        Limit limit = Limit.named("tenant").fixedWindow(50_000, Duration.ofDays(1));
        List<Demand> demands =
                IntStream.range(0, keys).mapToObj(i -> demand(limit, "k" + i)).toList();
        model.keepsAsks = false;
        int perSecond = 200 * keys;
        Duration gap = Duration.ofNanos(1_000_000_000 / perSecond);
        for (int i = 0; i < perSecond; i++) {
            decide(demands.get(random.nextInt(keys)), gap);
        }
        long cold = model.calls;
        for (int i = 0; i < 2 * perSecond; i++) {
            decide(demands.get(random.nextInt(keys)), gap);
        }
        double calls = (double) (model.calls - cold) / (2 * perSecond);
        System.out.printf(
                "%d keys, 200 requests/s each: %.4f calls per decision in the first second, then %.4f%n",
                keys, (double) cold / perSecond, calls);
        assertThat(calls).isLessThan(0.02);
    }

    private LeaseRequest last() {
        return model.requests.get(model.requests.size() - 1);
    }

    private void run(Demand demand, int times, Duration gap) {
        for (int i = 0; i < times; i++) {
            decide(demand, gap);
        }
    }

    private void decide(Demand demand, Duration gap) {
        var unused = leases.decide(Ask.charging(List.of(demand)));
        clock.advance(gap);
    }

    private static Demand demand(Limit limit, String key) {
        return Demand.of(limit, key, 1).leasedBy(LEASE);
    }
}
