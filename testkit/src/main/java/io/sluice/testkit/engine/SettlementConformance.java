package io.sluice.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.spi.SettlementResult.Kind;
import io.sluice.core.spi.Verdict;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The contract of engines that also settle reservations. Extend this class instead of {@link KeepConformance}, whose tests it
 * includes.
 */
public abstract class SettlementConformance extends KeepConformance {

    private static final long WITHIN = 10_000_000;

    @TestFactory
    Stream<DynamicTest> replaysGoldenVectorsOfSettlements() {
        return replays(GoldenVector.settling());
    }

    @Test
    void settlesAReservationOnceHoweverManySettleIt() throws Exception {
        Ask both = ask(Demand.of(TEN, "k", 8), Demand.of(THREE, "k", 3));
        List<Charge> charges = subject().decide(both).charges(both);
        List<Settlement> settlements = List.of(settlement(charges.get(0), 3), settlement(charges.get(1), 1));
        AtomicInteger settled = new AtomicInteger();
        int answered = inParallel(50, () -> {
            List<SettlementResult> results = settled(settlements);
            results.forEach(result -> settled.addAndGet(result.kind() == Kind.SETTLED ? 1 : 0));
            return results.stream().allMatch(result -> result.kind() == Kind.SETTLED || result.kind() == Kind.REPEATED);
        });
        assertThat(answered).isEqualTo(50);
        assertThat(settled).hasValue(2);
        assertThat(settled(settlements))
                .containsExactly(new SettlementResult(Kind.REPEATED, -5), new SettlementResult(Kind.REPEATED, -2));
        assertThat(settled(List.of(settlement(charges.get(0), 4)))).containsExactly(SettlementResult.CONFLICT);
        assertThat(remaining(TEN, "k")).isEqualTo(7);
        assertThat(remaining(THREE, "k")).isEqualTo(2);
    }

    @Test
    void chargesWhatWasUsedBeyondAReservationEvenIfItDoesNotFit() throws Exception {
        Ask both = ask(Demand.of(TEN, "k", 2), Demand.of(THREE, "k", 1));
        List<Charge> charges = subject().decide(both).charges(both);
        assertThat(settled(List.of(settlement(charges.get(0), 15), settlement(charges.get(1), 7))))
                .containsExactly(new SettlementResult(Kind.SETTLED, 13), new SettlementResult(Kind.SETTLED, 6));
        EngineDecision refused = subject().decide(ask(Demand.of(TEN, "k", 1), Demand.of(THREE, "k", 1)));
        assertThat(refused.verdicts()).extracting(Verdict::fits).containsOnly(false);
        // Fifteen of ten permits are used. The debt of five and the wanted permit take six tenths of a day.
        assertThat(refused.verdicts().get(0).retryAfterMicros()).isEqualTo(6 * 8_640_000_000L);
    }

    @Test
    void chargesAKeyThatHasNoCountYet() throws Exception {
        Settlement unreserved = new Settlement(TEN, "new", 0, 4, NOW, "id", 1_000_000);
        assertThat(settled(List.of(unreserved))).containsExactly(new SettlementResult(Kind.SETTLED, 4));
        assertThat(remaining(TEN, "new")).isEqualTo(6);
        Settlement nothing = new Settlement(TEN, "other", 4, 0, NOW, "id", 1_000_000);
        assertThat(settled(List.of(nothing))).containsExactly(new SettlementResult(Kind.SETTLED, 0));
        assertThat(remaining(TEN, "other")).isEqualTo(10);
    }

    /** A debt would never drain, and the limit refuses all requests anyway. */
    @Test
    void anUnusedBucketWithoutARateRecordsNoDebt() throws Exception {
        Limit open = Limit.named("paused").tokenBucket(Rate.perDay(10)).withBurst(10);
        Limit closed = Limit.named("paused").tokenBucket(Rate.perDay(0)).withBurst(10);
        Settlement unreserved = new Settlement(closed, "k", 0, 4, NOW, "id", WITHIN);
        assertThat(settled(List.of(unreserved))).containsExactly(new SettlementResult(Kind.SETTLED, 0));
        assertThat(remaining(open, "k")).isEqualTo(10);
    }

    @Test
    void aReservationStandsIfItIsSettledTooLate() throws Exception {
        Ask one = ask(Demand.of(THREE, "k", 3));
        Charge charge = subject().decide(one).charges(one).get(0);
        subject().setMicros(NOW + WITHIN + 1);
        assertThat(settled(List.of(settlement(charge, 1)))).containsExactly(SettlementResult.UNKNOWN);
        assertThat(remaining(THREE, "k")).isZero();
    }

    @Test
    void aReservationCanBeSettledAndRepeatedUntilTheLastMoment() throws Exception {
        Ask one = ask(Demand.of(THREE, "k", 3));
        List<Settlement> settlement =
                List.of(settlement(subject().decide(one).charges(one).get(0), 1));
        Ask other = ask(Demand.of(THREE, "other", 3));
        List<Settlement> last =
                List.of(settlement(subject().decide(other).charges(other).get(0), 1));
        assertThat(settled(settlement)).containsExactly(new SettlementResult(Kind.SETTLED, -2));
        subject().setMicros(NOW + WITHIN);
        assertThat(settled(last)).containsExactly(new SettlementResult(Kind.SETTLED, -2));
        assertThat(settled(settlement)).containsExactly(new SettlementResult(Kind.REPEATED, -2));
        assertThat(settled(last)).containsExactly(new SettlementResult(Kind.REPEATED, -2));
        assertThat(remaining(THREE, "k")).isEqualTo(2);
        assertThat(remaining(THREE, "other")).isEqualTo(2);
    }

    @Test
    void aReservationOfTheFutureCanBeSettledOnlyIfItIsASecondAway() throws Exception {
        Settlement near = new Settlement(TEN, "near", 0, 4, NOW + 1_000_000, "id", WITHIN);
        Settlement far = new Settlement(TEN, "far", 0, 4, NOW + 1_000_001, "id", WITHIN);
        assertThat(settled(List.of(near, far)))
                .containsExactly(new SettlementResult(Kind.SETTLED, 4), SettlementResult.UNKNOWN);
        assertThat(remaining(TEN, "far")).isEqualTo(10);
    }

    private static Settlement settlement(Charge charge, long actual) {
        return Settlement.of(charge, actual, "reservation", WITHIN);
    }

    private List<SettlementResult> settled(List<Settlement> settlements) throws Exception {
        return subject().engine().settle(settlements).toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
}
