package io.sluice.center.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.center.verdict.Verdict.Kind;
import io.sluice.runtime.fleet.Tally;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JudgeTest {

    private static final int BUCKETS = 32;
    private static final VerdictSettings REFUSALS = VerdictSettings.ofCallers(Set.of(Measure.REFUSALS));
    private static final VerdictSettings ALL = VerdictSettings.ofCallers(EnumSet.allOf(Measure.class));
    private static final CallerChoice HALF = new CallerChoice.Callers(0.5);

    private final Random random = new Random(24);

    @Test
    void holdsWithoutData() {
        assertThat(judge(ALL, Sample.NONE).kind()).isEqualTo(Kind.HOLD);
        assertThat(judge(REFUSALS, new Sample(Arm.none(BUCKETS), Arm.none(BUCKETS)))
                        .why())
                .isEqualTo("hold: 0 requests on trial (expected: at least 1,000)");
    }

    @Test
    void promotesIfNothingIsRefusedInManyRequests() {
        Verdict verdict = judge(REFUSALS, new Sample(refusals(1_000, 0), refusals(1_000, 0)));

        assertThat(verdict.kind()).isEqualTo(Kind.PROMOTE);
        assertThat(verdict.why())
                .isEqualTo("refusals: 0.00 % on trial against 0.00 % (expected: at most 1 point more)");
    }

    @Test
    void neverPromotesFewRequestsBecauseNothingWasRefused() {
        VerdictSettings few = new VerdictSettings(Map.of(Measure.REFUSALS, 0.01), 1, 12, 0, 0.01);

        Verdict verdict = judge(few, new Sample(refusals(10, 0), refusals(10, 0)));

        assertThat(verdict.kind()).isEqualTo(Kind.HOLD);
        // The rule of three for 320 requests: -ln(0.005) / 320
        assertThat(verdict.comparisons().get(0).high()).isCloseTo(0.0166, within(0.0001));
    }

    @Test
    void rollsBackIfOneMeasureIsWorse() {
        Verdict verdict = judge(ALL, new Sample(refusals(2_000, 0.07), refusals(2_000, 0.02)));

        assertThat(verdict.kind()).isEqualTo(Kind.ROLL_BACK);
        assertThat(verdict.why()).isEqualTo("refusals: 7.0 % on trial against 2.0 % (expected: at most 1 point more)");
        assertThat(verdict.comparisons()).extracting(Comparison::measure).containsExactly(Measure.values());
    }

    @Test
    void rollsBackATrialThatRefusesEverythingAlthoughItHasNoAnswers() {
        assertThat(judge(ALL, new Sample(refusals(2_000, 1), refusals(2_000, 0.02)))
                        .kind())
                .isEqualTo(Kind.ROLL_BACK);
    }

    @Test
    void holdsIfAMeasureHasNoData() {
        Verdict verdict = judge(
                VerdictSettings.ofCallers(Set.of(Measure.ERRORS)),
                new Sample(refusals(1_000, 0).plus(arm(i -> Tally.NONE)), arm(i -> new Tally(1_000, 0, 0, 0, 0, 0))));

        assertThat(verdict.kind()).isEqualTo(Kind.HOLD);
        assertThat(verdict.why()).isEqualTo("hold: 0 answers on control (expected: at least 1,000)");
    }

    @Test
    void comparesLatencyWithThePartOfTheControl() {
        VerdictSettings latency = VerdictSettings.ofCallers(Set.of(Measure.LATENCY));
        Arm control = latency(20_000);

        assertThat(judge(latency, new Sample(latency(20_500), control)).kind()).isEqualTo(Kind.PROMOTE);
        Verdict slower = judge(latency, new Sample(latency(30_000), control));
        assertThat(slower.kind()).isEqualTo(Kind.ROLL_BACK);
        assertThat(slower.why())
                .matches("latency: 30\\.. ms on trial against 20\\.. ms \\(expected: at most 10 % more\\)");
    }

    @Test
    void holdsIfOneCallerMakesTheDifference() {
        Arm trial = arm(i -> i == 7 ? new Tally(100_000, 60_000, 0, 0, 0, 0) : new Tally(900 + i, 18, 0, 0, 0, 0));
        Arm control = arm(i -> i == 3 ? new Tally(100_000, 1_000, 0, 0, 0, 0) : new Tally(900 + i, 18, 0, 0, 0, 0));

        assertThat(judge(REFUSALS, new Sample(trial, control)).kind()).isEqualTo(Kind.HOLD);
        assertThat(judge(REFUSALS, new Sample(control, trial)).kind()).isEqualTo(Kind.HOLD);
    }

    @Test
    void neverPromotesATrialWithTooFewCallers() {
        // Each second group is empty.
        Arm arm = arm(i -> new Tally(i % 2 * 10_000L, 0, 0, 0, 0, 0));

        assertThat(judge(REFUSALS, new Sample(arm, arm)).why())
                .isEqualTo("hold: the requests on trial are spread like those of 31 equally busy callers"
                        + " (expected: at least 200; try a larger share)");
    }

    @Test
    void eachLookIsMoreCarefulThanTheLast() {
        Sample sample = new Sample(refusals(1_000, 0.02), refusals(1_000, 0.02));
        double last = 0;
        for (int look = 1; look <= 40; look++) {
            Comparison comparison = Judge.judge(REFUSALS, HALF, Sample.NONE, sample, look)
                    .comparisons()
                    .get(0);
            assertThat(comparison.high() - comparison.low()).isGreaterThan(last);
            last = comparison.high() - comparison.low();
        }
        assertThat(IntStream.rangeClosed(1, 1_000).mapToDouble(ALL::alpha).sum())
                .isCloseTo(0.01, within(0.0001));
    }

    @Test
    void countsFromBeforeTheTrialMakeTheBoundsNarrower() {
        // Groups differ much, and stay as they are.
        double[] refused = random.doubles(2L * BUCKETS, 0, 0.1).toArray();
        Sample before = new Sample(varied(refused, 0, 0), varied(refused, BUCKETS, 0));
        Sample sample = new Sample(varied(refused, 0, 0.002), varied(refused, BUCKETS, 0));

        assertThat(Judge.judge(REFUSALS, HALF, Sample.NONE, sample, 1).kind()).isEqualTo(Kind.HOLD);
        assertThat(Judge.judge(REFUSALS, HALF, before, sample, 1).kind()).isEqualTo(Kind.PROMOTE);
        assertThat(Judge.judge(REFUSALS, HALF, before, sample, 1).why())
                .matches(
                        "refusals: .* % on trial against .* %, before .* % against .* % \\(expected: at most 1 point more\\)");
        assertThat(Judge.judge(REFUSALS, HALF, Sample.NONE, sample, 1).why())
                .matches("hold: refusals: .* %; the effect is between .* points less and .* points more"
                        + " \\(expected: at most 1 point more\\)");
    }

    @Test
    void refusesAVerdictIfTheShareOfRequestsIsNotTheShareOfCallers() {
        Sample sample = new Sample(refusals(1_000, 0), refusals(4_000, 0));

        assertThat(Judge.judge(REFUSALS, new CallerChoice.Callers(0.2), Sample.NONE, sample, 1)
                        .kind())
                .isEqualTo(Kind.PROMOTE);
        Verdict biased = Judge.judge(REFUSALS, HALF, Sample.NONE, sample, 1);
        assertThat(biased.kind()).isEqualTo(Kind.HOLD);
        assertThat(biased.why())
                .contains("of the requests are on trial (expected: 50.0 %")
                .startsWith("biased:");
        assertThat(Judge.judge(REFUSALS, HALF, sample, sample, 1).why())
                .contains("of the requests are on trial (expected: 50.0 %")
                .startsWith("biased:");
    }

    @Test
    void chanceMovesRequestsEvenIfAllGroupsAreEqual() {
        Arm trial = arm(i -> new Tally(10_050, 0, 0, 0, 0, 0));
        Arm control = arm(i -> new Tally(10_000, 0, 0, 0, 0, 0));

        assertThat(judge(REFUSALS, new Sample(trial, control)).kind()).isEqualTo(Kind.PROMOTE);
    }

    @Test
    void refusesAVerdictIfTheArmsDifferedBefore() {
        Sample before = new Sample(refusals(1_000, 0.01), refusals(1_000, 0.05));

        Verdict verdict = Judge.judge(REFUSALS, HALF, before, before, 1);

        assertThat(verdict.kind()).isEqualTo(Kind.HOLD);
        assertThat(verdict.why()).startsWith("biased: refusals: 1.0 % on trial against 5.0 % before it began");
    }

    @Test
    void refusesAVerdictOnNamedCallers() {
        Sample sample = new Sample(refusals(1_000, 0.5), refusals(1_000, 0));

        Verdict verdict = Judge.judge(REFUSALS, new CallerChoice.Named(), Sample.NONE, sample, 1);

        assertThat(verdict.kind()).isEqualTo(Kind.HOLD);
        assertThat(verdict.why()).startsWith("biased: the callers on trial were chosen by name");
        assertThat(verdict.comparisons()).hasSize(1);
    }

    @Test
    void rollsBackIfRefusedCallersRetry() {
        // A fifth is refused and tried four more times: 180 % of the requests, 5 of 9 refused.
        Sample sample = new Sample(refusals(1_800, 5 / 9.0), refusals(1_000, 0.02));

        Verdict verdict = Judge.judge(REFUSALS, HALF, Sample.NONE, sample, 1);

        assertThat(verdict.kind()).isEqualTo(Kind.ROLL_BACK);
        assertThat(verdict.why())
                .startsWith("refusals: 19.")
                .endsWith("counting only as many requests as the share of callers allows");
    }

    @Test
    void judgesATrialOnNodes() {
        VerdictSettings nodes = VerdictSettings.ofNodes(Set.of(Measure.ERRORS));
        Arm trial = new Arm(errors(3, 0.05));

        assertThat(Judge.judge(
                                nodes,
                                new CallerChoice.Nodes(),
                                Sample.NONE,
                                new Sample(trial, new Arm(errors(27, 0.01))),
                                1)
                        .kind())
                .isEqualTo(Kind.ROLL_BACK);
        assertThat(Judge.judge(
                                nodes,
                                new CallerChoice.Nodes(),
                                Sample.NONE,
                                new Sample(trial, new Arm(errors(2, 0.01))),
                                1)
                        .why())
                .isEqualTo("hold: answers in 2 groups of callers or nodes on control (expected: at least 3)");
    }

    @Test
    void refusesWrongSettings() {
        assertThatThrownBy(() -> new VerdictSettings(Map.of(Measure.REFUSALS, 2.0), 1_000, 12, 100, 0.01))
                .hasMessage("tolerance: 2 (expected: for refusals more than 0 and at most 1, such as 0.01)");
        assertThatThrownBy(() -> new VerdictSettings(Map.of(Measure.LATENCY, Double.NaN), 1_000, 12, 100, 0.01))
                .hasMessage("tolerance: NaN (expected: for latency more than 0 and at most 10, such as 0.1)");
        assertThatThrownBy(() -> VerdictSettings.ofCallers(Set.of()))
                .hasMessage("compare: nothing (expected: at least one measure, such as refusals)");
        assertThatThrownBy(() -> new VerdictSettings(Map.of(Measure.ERRORS, 0.01), 0, 12, 100, 0.01))
                .hasMessage("min_requests: 0 (expected: a positive number such as 1000)");
        assertThatThrownBy(() -> new VerdictSettings(Map.of(Measure.ERRORS, 0.01), 1, 1, 100, 0.01))
                .hasMessage("min_clusters: 1 (expected: at least 2, such as 12 groups of callers or 3 nodes)");
        assertThatThrownBy(() -> new VerdictSettings(Map.of(Measure.ERRORS, 0.01), 1, 2, -1, 0.01))
                .hasMessage("min_callers: -1 (expected: 0 or more, such as 200)");
        assertThatThrownBy(() -> new VerdictSettings(Map.of(Measure.ERRORS, 0.01), 1, 2, 0, 0))
                .hasMessage("alpha: 0 (expected: more than 0 and at most 0.2, such as 0.01)");
        assertThatThrownBy(() -> new CallerChoice.Callers(1))
                .hasMessage("share: 1 (expected: between 0 and 1, such as 0.05)");
        assertThatThrownBy(() -> Judge.judge(ALL, HALF, Sample.NONE, Sample.NONE, 0))
                .hasMessage("look: 0 (expected: 1 for the first, 2 for the second)");
    }

    @Test
    void hasTheWordsOfTheApi() {
        assertThat(Measure.of("refusals")).contains(Measure.REFUSALS);
        assertThat(Measure.of("requests")).isEmpty();
        assertThat(Kind.ROLL_BACK.word()).isEqualTo("roll_back");
    }

    private Verdict judge(VerdictSettings settings, Sample sample) {
        return Judge.judge(settings, HALF, Sample.NONE, sample, 1);
    }

    private static Arm arm(Function<Integer, Tally> tally) {
        return new Arm(IntStream.range(0, BUCKETS).boxed().map(tally).toList());
    }

    /** Groups with about equally many requests. */
    private Arm refusals(int requests, double share) {
        return arm(i -> {
            long all = (long) requests + random.nextInt(requests / 10) - requests / 20;
            long refused = Math.round(all * share);
            long rest = all - refused;
            return new Tally(all, refused, 0, rest, 0, rest * 20_000);
        });
    }

    private static Arm varied(double[] refused, int from, double more) {
        return arm(i -> new Tally(10_000 + i, (long) (10_000 * (refused[from + i] + more)), 0, 0, 0, 0));
    }

    private Arm latency(int micros) {
        return arm(i -> new Tally(1_000, 0, 0, 1_000, 0, 1_000L * (micros + random.nextInt(500))));
    }

    private static List<Tally> errors(int nodes, double share) {
        return IntStream.range(0, nodes)
                .mapToObj(i -> new Tally(10_000, 0, 0, 10_000 + i, (long) (10_000 * share) + i % 3, 0))
                .toList();
    }
}
