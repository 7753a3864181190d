package io.sluice.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.SpendEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.history.UnspendEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.Verdict;
import io.sluice.testkit.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HistoryCheckerTest {

    private static final int CLEAN_RUNS = SeededRandom.scaled(300, 10_000);

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void findsEveryPlantedBug(Bug bug) {
        for (long seed = 1; seed <= SeededRandom.scaled(2, 20); seed++) {
            CheckReport report = HistoryChecker.check(Simulation.run(seed, bug, 3_000));
            assertThat(report.violations())
                    .as("%s with seed %d: %s", bug, seed, report)
                    .extracting(Violation::kind)
                    .contains(bug.breaks);
        }
    }

    @Test
    void raisesNoFalseAlarm() {
        long first = Long.getLong("sluice.tests.seed", new Random().nextLong(1L << 40));
        System.out.println("raisesNoFalseAlarm: seed " + first);
        long missing = 0;
        for (long seed = first; seed < first + CLEAN_RUNS; seed++) {
            CheckReport report = HistoryChecker.check(Simulation.run(seed, Bug.NONE, 600));
            assertThat(report.isClean()).as("seed %d: %s", seed, report).isTrue();
            missing += report.missing();
        }
        assertThat(missing).as("steps that were not recorded").isPositive();
    }

    @Test
    void raisesNoFalseAlarmWhenAReplicaTakesOver() {
        long first = Long.getLong("sluice.tests.seed", new Random().nextLong(1L << 40));
        System.out.println("raisesNoFalseAlarmWhenAReplicaTakesOver: seed " + first);
        long unchecked = 0;
        for (long seed = first; seed < first + CLEAN_RUNS; seed++) {
            CheckReport report = HistoryChecker.check(Simulation.runReplicated(seed, 600));
            assertThat(report.isClean()).as("seed %d: %s", seed, report).isTrue();
            unchecked += report.unchecked();
        }
        assertThat(unchecked).as("steps in no order that is known").isPositive();
    }

    /** The third replica has received less than the second one. A number that was lost twice was in use before both took over. */
    @Test
    void raisesNoFalseAlarmWhenAReplicaTakesOverThatMissesMoreThanTheOneBefore() {
        List<HistoryEvent> events = new ArrayList<>();
        long[][] numbersAndTimes = {{1, 10}, {2, 100}, {2, 200}, {3, 210}, {3, 300}, {4, 310}, {2, 400}};
        for (long[] each : numbersAndTimes) {
            events.add(ofAThousand("c", each[0], true, each[1], 1, 1_000 - each[0]));
        }
        events.add(ofAThousand("d", 1, true, 90, 1, 999));
        events.add(ofAThousand("d", 2, true, 95, 2, 997));
        events.add(ofAThousand("d", 2, false, 350, 0, 997));
        events.add(ofAThousand("d", 2, true, 500, 1, 998));

        assertThat(violations(events.toArray(HistoryEvent[]::new))).isEmpty();
        events.add(ofAThousand("d", 2, false, 600, 0, 997));
        assertThat(violations(events.toArray(HistoryEvent[]::new))).containsExactly(Violation.Kind.MODEL);
    }

    private static HistoryEvent ofAThousand(
            String count, long number, boolean changed, long atMicros, long granted, long remaining) {
        Limit limit = Limit.named("x").fixedWindow(1_000, Duration.ofSeconds(1));
        Verdict verdict = new Verdict(true, granted, remaining, 0, 1_000_000 - atMicros, 0, atMicros);
        Demand demand = Demand.of(limit, "k", Math.max(1, granted));
        return new StepEvent(
                count, 1, number, changed, atMicros, new StepEvent.Asked("", demand, granted > 0, 0, verdict));
    }

    @Test
    void allowsAPermitToBeSpentAgainBeforeItsReturnIsRecorded() {
        Limit limit = Limit.named("x").tokenBucket(Rate.perSecond(10));
        HistoryEvent lease = new StepEvent(
                "c", 5, 1, true, 5, new StepEvent.Granted("l", limit, "k", 1, 1, 2, 0, 1, 1_000_005, 0, 5));
        HistoryEvent first = new SpendEvent("1", "c", "l", 1, true, 0, 0, 1_000_000_000, 5);
        HistoryEvent again = new SpendEvent("2", "c", "l", 1, true, 0, 10, 1_000_000_000, 5);
        HistoryEvent putBack = new UnspendEvent("1", "c", "l", 1, 5, 1_000_000_000, 5);

        assertThat(violations(lease, first, again, putBack)).isEmpty();
        assertThat(violations(lease, first, again)).containsExactly(Violation.Kind.LEASE_OVERSPENT);
    }

    @Test
    void findsALeaseAnswerThatWasAlsoSpentOnAnotherCount() {
        Limit limit = Limit.named("x").tokenBucket(Rate.perSecond(10));
        HistoryEvent lease = new StepEvent(
                "c", 5, 1, true, 5, new StepEvent.Granted("l", limit, "k", 2, 1, 2, 0, 2, 1_000_005, 0, 5));
        HistoryEvent other = new StepEvent(
                "d", 5, 1, true, 5, new StepEvent.Granted("m", limit, "q", 2, 1, 2, 0, 2, 1_000_005, 0, 5));
        HistoryEvent spent = new SpendEvent("1", "c", "l", 1, true, 0, 0, 1_000_000_000, 5);
        HistoryEvent also = new SpendEvent("1", "d", "m", 1, true, 0, 10, 1_000_000_000, 5);

        assertThat(violations(lease, other, spent)).isEmpty();
        assertThat(violations(lease, other, spent, also)).containsExactly(Violation.Kind.ANSWER);
    }

    @Test
    void countsLeasesOfOtherNumbersAgainstTheCap() {
        assertThat(violations(leased(1, 10, 5, 5), leased(2, 20, 10, 5))).isEmpty();
        assertThat(violations(leased(1, 10, 5, 5), leased(2, 20, 10, 6))).containsExactly(Violation.Kind.LEASE_CAP);
    }

    /** If its time was ahead, the store may have forgotten leases and settlements, and nobody may have received the answer. */
    @Test
    void presumesThatAStoreForgotNothingUnlessTimeSteppedBackSomewhere() {
        HistoryEvent ahead = chargedElsewhere(9_000_000);
        HistoryEvent lease = leased(1, 10, 5, 5);
        HistoryEvent ended = step(2, 2, new StepEvent.Ended("l1", 0, 0));
        assertThat(violations(lease, ended)).containsExactly(Violation.Kind.LEASE_ENDED);
        assertThat(violations(lease, ahead, ended)).isEmpty();

        HistoryEvent more = leased(2, 20, 10, 6);
        assertThat(violations(lease, more)).containsExactly(Violation.Kind.LEASE_CAP);
        assertThat(violations(lease, ahead, more)).isEmpty();

        Limit limit = Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(9);
        Settlement settlement = new Settlement(limit, "k", 0, 1, 1_000_000, "a", 2_000_000);
        HistoryEvent settled = settled(1, 1_000_000, settlement, 1);
        HistoryEvent again = settled(2, 1_000_000, settlement, 1);
        assertThat(violations(settled, again)).containsExactly(Violation.Kind.SETTLED);
        assertThat(violations(settled, ahead, again)).isEmpty();
    }

    private static HistoryEvent chargedElsewhere(long atMicros) {
        Limit limit = Limit.named("y").slidingLog(100, Duration.ofSeconds(2));
        Verdict verdict = new Verdict(true, 1, 99, 0, 2_000_000, 0, atMicros);
        return new StepEvent(
                "d", 1, 1, true, atMicros, new StepEvent.Asked("", Demand.of(limit, "k", 1), true, 0, verdict));
    }

    /** A lease on a count that is never refilled. */
    private static HistoryEvent leased(long number, long limit, long cap, long permits) {
        Limit numbers = Limit.named("x").fixedWindow(limit, Duration.ofDays(1_000));
        return step(
                number,
                number,
                new StepEvent.Granted(
                        "l" + number, numbers, "k", permits, 1, cap, 0, permits, 1_000_000 + number, 0, number));
    }

    @Test
    void judgesRefusalsOnAnUnusedCount() {
        assertThat(violations(refused(0, 0, 10))).isEmpty();
        assertThat(violations(refused(0, 0, 9))).containsExactly(Violation.Kind.MODEL);
    }

    @Test
    void assumesNothingAboutACountThatOthersUseWithoutRecording() {
        assertThat(violations(refused(0, 1, 9), refused(0, 1, 1), refused(0, 1, 10)))
                .isEmpty();
    }

    @Test
    void countsNothingThatWasOverWhenALeaseReturnedPermits() {
        assertThat(violations(returnsAndStepsBack(4_425_945))).isEmpty();
    }

    @Test
    void countsWhatWasNotOverWhenALeaseReturnedPermits() {
        assertThat(violations(returnsAndStepsBack(3_926_906)))
                .containsExactlyInAnyOrder(Violation.Kind.INTERVAL, Violation.Kind.MODEL);
    }

    /** A window of 4 is full, a lease returns one of its two permits, time steps back, and 2 are admitted. */
    private static HistoryEvent[] returnsAndStepsBack(long returnedMicros) {
        Limit limit = Limit.named("x").slidingWindow(4, Duration.ofSeconds(2)).withSlices(4);
        return new HistoryEvent[] {
            charged(limit, 1, 1_975_481, 1, 3, 2_024_519),
            step(2, 3_539_489, new StepEvent.Granted("l", limit, "k", 3, 2, 2, 0, 2, 4_539_489, 0, 3_539_489)),
            charged(limit, 3, 3_826_906, 1, 0, 2_173_094),
            new SpendEvent("1", "c", "l", 1, false, 0, 0, 1_000_000_000, 3_539_489),
            step(4, returnedMicros, new StepEvent.Ended("l", 1, 1)),
            charged(limit, 5, 3_532_264, 2, 0, 2_467_736)
        };
    }

    /** A refusal makes a log forget what is over once that is more than a few entries. */
    @Test
    void countsNothingThatWasOverWhenALogRefused() {
        Limit limit = Limit.named("x").slidingLog(100, Duration.ofSeconds(2));
        List<HistoryEvent> events = new ArrayList<>();
        for (int i = 1; i <= 70; i++) {
            events.add(charged(limit, i, i, 1, 100 - i, 2_000_000));
        }
        events.add(charged(limit, 71, 1_500_000, 30, 0, 2_000_000));
        events.add(asked(limit, 72, 2_100_000, 80, new Verdict(false, 0, 70, 1_400_000, 1_400_000, 0, 2_100_000)));
        events.add(charged(limit, 73, 1_900_000, 70, 0, 2_000_000));

        assertThat(violations(events.toArray(HistoryEvent[]::new))).isEmpty();
    }

    /** A bucket of 3 that refills 2 permits in 200 ms becomes full again after time stepped back. Then 3 permits are charged. */
    @Test
    void countsFromTheTimeAtWhichABucketWasFullAgain() {
        Limit limit = Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(3);
        HistoryEvent charged = charged(limit, 1, 2_000_000, 2, 1, 200_000);
        HistoryEvent full = settled(2, 1_500_000, new Settlement(limit, "k", 2, 0, 2_000_000, "a", 20_000_000), -2);
        HistoryEvent empty = settled(3, 1_600_000, new Settlement(limit, "k", 0, 3, 1_600_000, "b", 20_000_000), 3);

        assertThat(violations(charged, full, empty, charged(limit, 4, 1_800_000, 2, 0, 300_000)))
                .isEmpty();
        assertThat(violations(charged, full, empty, charged(limit, 4, 1_799_000, 2, 0, 300_000)))
                .containsExactlyInAnyOrder(Violation.Kind.INTERVAL, Violation.Kind.MODEL);
    }

    /** The bucket is full when a settlement looks at it; then time steps back, and 3 permits are charged. */
    @Test
    void countsFromTheTimeOfAChargeToAFullBucket() {
        Limit limit = Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(3);
        HistoryEvent charged = charged(limit, 1, 1_000_000, 2, 1, 200_000);
        HistoryEvent full = settled(2, 2_000_000, new Settlement(limit, "k", 2, 0, 1_000_000, "a", 20_000_000), 0);
        HistoryEvent empty = settled(3, 1_600_000, new Settlement(limit, "k", 0, 3, 1_600_000, "b", 20_000_000), 3);

        assertThat(violations(charged, full, empty, charged(limit, 4, 1_800_000, 2, 0, 300_000)))
                .isEmpty();
    }

    /** The same with a slot that lies ahead: a caller waits, then all is given back. */
    @Test
    void countsFromNowOnIfTheCallersThatWaitGiveBackAll() {
        Limit limit = Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(3);
        HistoryEvent first = charged(limit, 1, 1_000_000, 3, 0, 300_000);
        Limit patiently = ((TokenBucket) limit).withMaxWait(Duration.ofSeconds(1));
        Demand patient = Demand.of(patiently, "k", 3);
        HistoryEvent waits = step(
                2,
                1_000_000,
                new StepEvent.Asked("", patient, true, 0, new Verdict(true, 3, 0, 0, 600_000, 300_000, 1_000_000)));
        HistoryEvent back = givenBack(3, 1_000_000, limit, 3);
        HistoryEvent full = givenBack(4, 1_000_000, limit, 3);
        HistoryEvent empty = settled(5, 1_000_000, new Settlement(limit, "k", 0, 3, 1_000_000, "b", 20_000_000), 3);

        assertThat(violations(first, waits, back, full, empty, charged(limit, 6, 1_200_000, 2, 0, 300_000)))
                .isEmpty();
        assertThat(violations(first, waits, back, full, empty, charged(limit, 6, 1_199_000, 2, 0, 300_000)))
                .containsExactlyInAnyOrder(Violation.Kind.INTERVAL, Violation.Kind.MODEL);
    }

    /** The first step is missing, and time steps back. So it is unknown where the reservation counts, though it is later. */
    @Test
    void doesNotPresumeWhereASettlementIsCharged() {
        Limit limit = Limit.named("x").slidingWindow(1, Duration.ofSeconds(2)).withSlices(4);
        Verdict refused = new Verdict(false, 0, 0, 3_370_257, 3_370_257, 0, 44_000_000);
        HistoryEvent reserved = charged(limit, 2, 44_322_042, 1, 0, 2_177_958);
        HistoryEvent back = asked(limit, 3, 43_129_743, 1, refused);
        HistoryEvent more = settled(4, 46_453_570, new Settlement(limit, "k", 1, 2, 44_322_042, "a", 20_000_000), 1);

        assertThat(violations(reserved, back, more, charged(limit, 5, 47_099_613, 1, 0, 2_400_387)))
                .isEmpty();
    }

    /** A lease ends that was granted before the recording. Time has stepped back, so everything counts from then on. */
    @Test
    void countsFromTheTimeOfARefundThatMovedAllCharges() {
        Limit limit = Limit.named("x").slidingWindow(9, Duration.ofSeconds(2)).withSlices(4);
        HistoryEvent first = charged(limit, 1, 68_500_000, 1, 8, 2_500_000);
        HistoryEvent second = charged(limit, 2, 70_600_000, 1, 7, 2_400_000);
        HistoryEvent ended = step(3, 69_100_000, new StepEvent.Ended("unknown", 0, 1));
        Verdict verdict = new Verdict(true, 0, 7, 0, 209_000, 0, 71_291_000);
        StepEvent.Asked look = new StepEvent.Asked("", Demand.of(limit, "k", 1), false, 0, verdict);

        assertThat(violations(first, second, ended, new StepEvent("c", 1, 3, false, 71_291_000, look)))
                .isEmpty();
    }

    /** The bucket was full again after a second, and its numbering ended. The lease lasts for a minute. */
    @Test
    void remembersLeasesThatOutlastTheNumberingOfTheirCount() {
        Limit limit = Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(10);
        StepEvent.Step granted = new StepEvent.Granted("l", limit, "k", 5, 1, 5, 0, 5, 60_000_001, 0, 1);
        StepEvent.Step refused = new StepEvent.Granted("m", limit, "k", 5, 1, 5, 0, 0, 0, 0, 0);
        HistoryEvent out = step(1, 1, granted);
        HistoryEvent unnumbered = new StepEvent("c", 0, 0, false, 20_000_000, refused);
        Verdict verdict = new Verdict(true, 1, 9, 0, 100_000, 0, 30_000_000);
        HistoryEvent again = new StepEvent(
                "c",
                30_000_000,
                1,
                true,
                30_000_000,
                new StepEvent.Asked("", Demand.of(limit, "k", 1), true, 0, verdict));
        HistoryEvent later = new StepEvent("c", 30_000_000, 1, false, 40_000_000, refused);

        assertThat(violations(out, unnumbered, again, later)).isEmpty();
        HistoryEvent unfounded = new StepEvent("c", 30_000_000, 1, false, 100_000_000, refused);
        assertThat(violations(out, again, unfounded)).containsExactly(Violation.Kind.MODEL);
    }

    private static HistoryEvent givenBack(long number, long atMicros, Limit limit, long permits) {
        return step(number, atMicros, new StepEvent.GivenBack(new Charge(limit, "k", permits, 1_000_000, "")));
    }

    private static HistoryEvent settled(long number, long atMicros, Settlement settlement, long change) {
        return step(number, atMicros, new StepEvent.Settled(settlement, change));
    }

    private static HistoryEvent charged(
            Limit limit, long number, long atMicros, long permits, long remaining, long resetAfterMicros) {
        Verdict verdict = new Verdict(true, permits, remaining, 0, resetAfterMicros, 0, atMicros);
        return asked(limit, number, atMicros, permits, verdict);
    }

    private static HistoryEvent asked(Limit limit, long number, long atMicros, long permits, Verdict verdict) {
        return step(number, atMicros, new StepEvent.Asked("", Demand.of(limit, "k", permits), true, 0, verdict));
    }

    /** A step on a count that is numbered from its first step on. */
    private static HistoryEvent step(long number, long atMicros, StepEvent.Step step) {
        return new StepEvent("c", 1, number, true, atMicros, step);
    }

    /** A refusal by a bucket of 9 that looks unused. */
    private static HistoryEvent refused(long since, long number, long permits) {
        Limit limit = Limit.named("x").tokenBucket(Rate.perSecond(10)).withBurst(9);
        Verdict verdict = new Verdict(false, 0, 9, Verdict.NEVER, 0, 0, 5);
        Demand demand = Demand.of(limit, "k", permits);
        return new StepEvent("c", since, number, false, 5, new StepEvent.Asked("", demand, true, 0, verdict));
    }

    private static List<Violation.Kind> violations(HistoryEvent... events) {
        History history = new History(List.of(new History.Node("n", true, List.of(events))));
        return HistoryChecker.check(history).violations().stream()
                .map(Violation::kind)
                .toList();
    }

    @Test
    void checksManyEventsWithinSeconds() {
        int steps = SeededRandom.scaled(100_000, 700_000);
        History history = Simulation.run(7, Bug.NONE, steps);
        long events =
                history.nodes().stream().mapToLong(node -> node.events().size()).sum();
        CheckReport report = HistoryChecker.check(history);
        assertThat(events).isGreaterThan(steps * 10L / 7);
        assertThat(report.isClean()).as("%s", report).isTrue();
    }
}
