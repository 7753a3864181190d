package io.sluice.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Verdict;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The contract of engines that also respect {@link Demand#keep}. Extend this class instead of {@link EngineConformance}, whose tests
 * it includes.
 */
public abstract class KeepConformance extends EngineConformance {

    @TestFactory
    Stream<DynamicTest> replaysGoldenVectorsOfKeptPermits() {
        return replays(GoldenVector.keeping());
    }

    @Test
    void leavesToOthersWhatADemandKeeps() throws Exception {
        // The limits do not refill during the test. A demand that keeps half of the limit takes only the other half,
        // even if many callers ask concurrently.
        Ask low = ask(Demand.of(TEN, "k", 1).keeping(5));
        assertThat(inParallel(60, () -> subject().decide(low).allowed())).isEqualTo(5);
        Verdict refused = subject().decide(low).verdicts().get(0);
        assertThat(refused.keptForOthers()).isTrue();
        assertThat(refused.remaining()).isEqualTo(5);
        Ask high = ask(Demand.of(TEN, "k", 1));
        assertThat(inParallel(60, () -> subject().decide(high).allowed())).isEqualTo(5);
        assertThat(subject().decide(low).verdicts().get(0).keptForOthers()).isFalse();
        Verdict never = subject()
                .decide(ask(Demand.of(TEN, "l", 1).keeping(10)))
                .verdicts()
                .get(0);
        assertThat(never.retryAfterMicros()).isEqualTo(Verdict.NEVER);
    }

    @Test
    void aDemandForNothingPassesWhileAPermitIsLeft() throws Exception {
        Ask nothing = ask(Demand.of(TEN, "n", 1).keeping(1).permits(0));
        assertThat(inParallel(60, () -> subject().decide(nothing).allowed())).isEqualTo(60);
        EngineDecision passed = subject().decide(nothing);
        assertThat(passed.verdicts().get(0).granted()).isZero();
        assertThat(passed.charges(nothing)).isEmpty();
        assertThat(subject().decide(ask(Demand.of(TEN, "n", 10))).allowed()).isTrue();
        Verdict refused = subject().decide(nothing).verdicts().get(0);
        assertThat(refused.fits()).isFalse();
        assertThat(refused.keptForOthers()).isFalse();
    }

    /** A holder gets no more permits while it holds permits, regardless of the kept permits. */
    @Test
    void aHolderThatAsksAgainIsNotRefusedForOthers() throws Exception {
        Limit slots = Limit.named("slots").concurrency(10, Duration.ofDays(1));
        Ask mine = ask(Demand.of(slots, "k", 2).heldBy("me").keeping(8));
        assertThat(subject().decide(mine).allowed()).isTrue();
        Verdict again = subject().decide(mine).verdicts().get(0);
        assertThat(again.fits()).isFalse();
        assertThat(again.keptForOthers()).isFalse();
        Ask theirs = ask(Demand.of(slots, "k", 1).heldBy("them").keeping(8));
        assertThat(subject().decide(theirs).verdicts().get(0).keptForOthers()).isTrue();
    }
}
