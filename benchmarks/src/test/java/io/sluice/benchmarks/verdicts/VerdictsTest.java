package io.sluice.benchmarks.verdicts;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmarks.goals.Figures;
import io.sluice.benchmarks.verdicts.Scenario.Assignment;
import io.sluice.benchmarks.verdicts.Scenario.Truth;
import io.sluice.testkit.SeededRandom;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A small form of {@code ./sluice bench verdicts}, which simulates 1,000 trials of each scenario. Seeds are fixed, so that the counts
 * are the same in each run.
 */
class VerdictsTest {

    private static final int TRIALS = SeededRandom.scaled(20, 100);
    private static final int MOST_IN_A_ROW = 2;

    private static Map<Truth, List<Outcomes>> outcomes = Map.of();

    @BeforeAll
    static void simulate() {
        outcomes = Verdicts.outcomes(TRIALS).stream()
                .flatMap(List::stream)
                .collect(Collectors.groupingBy(each -> each.scenario().truth()));
    }

    @Test
    void coversAllTruths() {
        assertThat(outcomes).containsOnlyKeys(Truth.values());
    }

    @Test
    void promotesHardlyAnyTrialThatIsWorse() {
        assertThat(share(outcomes.get(Truth.WORSE), Outcomes::promoted)).isLessThan(0.005);
        assertThat(outcomes.get(Truth.WORSE))
                .allSatisfy(each -> assertThat(each.promoted()).isLessThanOrEqualTo(MOST_IN_A_ROW));
    }

    @Test
    void rollsBackHardlyAnyTrialThatIsBetter() {
        assertThat(share(outcomes.get(Truth.BETTER), Outcomes::rolledBack)).isLessThan(0.005);
        assertThat(outcomes.get(Truth.BETTER))
                .allSatisfy(each -> assertThat(each.rolledBack()).isLessThanOrEqualTo(MOST_IN_A_ROW));
    }

    @Test
    void holdsAtTheTolerance() {
        assertThat(share(outcomes.get(Truth.AT_TOLERANCE), Outcomes::promoted)).isLessThan(0.01);
        assertThat(share(outcomes.get(Truth.AT_TOLERANCE), Outcomes::rolledBack))
                .isLessThan(0.01);
    }

    @Test
    void refusesAVerdictOnBiasedData() {
        assertThat(share(outcomes.get(Truth.BIASED), Outcomes::promoted)).isLessThan(0.005);
        assertThat(share(outcomes.get(Truth.BIASED), Outcomes::rolledBack)).isLessThan(0.005);
        assertThat(outcomes.get(Truth.BIASED))
                .filteredOn(each -> each.scenario().share() >= 0.2)
                .allSatisfy(each -> assertThat(each.biased()).isEqualTo(TRIALS));
    }

    @Test
    void seesABiasInFewTrialsWithoutOne() {
        assertThat(share(outcomes.get(Truth.BETTER), Outcomes::biased)).isLessThan(0.02);
    }

    @Test
    void reachesAVerdictOnAHalfOfTheCallers() {
        Predicate<Outcomes> half = each -> each.scenario().share() == 0.5
                && each.scenario().assignment() == Assignment.RANDOM
                && each.scenario().baseline() > 0;

        assertThat(named(
                                "no difference",
                                half.and(each -> each.scenario().compared().size() == 4))
                        .promoted())
                .isGreaterThan(TRIALS / 2);
        assertThat(named("no difference, nothing refused or failed", half).promoted())
                .isGreaterThan(TRIALS * 9 / 10);
        assertThat(named("refusals -1 point", half).promoted()).isGreaterThan(TRIALS * 9 / 10);
        assertThat(named("refusals +5 points", half).rolledBack()).isGreaterThan(TRIALS * 9 / 10);
        assertThat(named("errors +3 points", half).rolledBack()).isGreaterThan(TRIALS * 9 / 10);
        assertThat(named("latency +30 %", half).rolledBack()).isGreaterThan(TRIALS * 9 / 10);
        assertThat(named("degraded +3 points", half).rolledBack()).isGreaterThan(TRIALS * 9 / 10);
    }

    @Test
    void writesATableWithEachScenario() {
        Figures figures = new Figures("verdicts");

        String table = Verdicts.table(1, figures);

        assertThat(table).contains("| refusals +5 points | all | worse | ").contains("| biased | 20 | 0 | 0 | 20 |");
        assertThat(figures.get("verdicts/violations")).isPresent();
    }

    private static Outcomes named(String name, Predicate<Outcomes> which) {
        List<Outcomes> found = outcomes.values().stream()
                .flatMap(List::stream)
                .filter(each -> each.scenario().name().equals(name) && which.test(each))
                .toList();
        assertThat(found).as(name).hasSize(1);
        return found.get(0);
    }

    private static double share(List<Outcomes> outcomes, ToIntFunction<Outcomes> number) {
        return (double) outcomes.stream().mapToInt(number).sum()
                / outcomes.stream().mapToInt(Outcomes::trials).sum();
    }
}
