package io.sluice.benchmarks.verdicts;

import io.sluice.benchmarks.goals.Figures;
import io.sluice.benchmarks.verdicts.Scenario.Truth;
import io.sluice.center.verdict.Measure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** Simulates trials with known truth and counts the wrong verdicts. The same seeds are used in each run. */
public final class Verdicts {

    /** The probability of error that the usual settings accept. */
    private static final double ACCEPTED = 0.01;

    /** What is accepted where the truth is exactly at the tolerance and depends on very few callers. */
    static final double WORST = 0.02;

    private Verdicts() {}

    /** Simulates so many trials of each scenario, and returns a table. */
    public static String table(int trials, Figures figures) {
        List<List<Outcomes>> rows = outcomes(trials);
        List<Outcomes> all = rows.stream().flatMap(List::stream).toList();
        long above = all.stream().filter(each -> worst(each) > WORST * trials).count();
        figures.add("violations", (double) above);
        figures.add("false promotions/%", percent(all, Outcomes::falsePromotions));
        figures.add("false rollbacks/%", percent(all, Outcomes::falseRollbacks));
        return introduction(trials) + "\n" + summary(all) + "\n" + details(rows);
    }

    static List<List<Outcomes>> outcomes(int trials) {
        List<List<Outcomes>> rows = new ArrayList<>();
        long seed = 0;
        for (List<Scenario> scenarios : Scenarios.all()) {
            List<Outcomes> row = new ArrayList<>();
            for (Scenario scenario : scenarios) {
                row.add(Outcomes.of(scenario, trials, seed));
                seed += trials;
            }
            rows.add(row);
        }
        return rows;
    }

    static int worst(Outcomes outcomes) {
        return Math.max(outcomes.falsePromotions(), outcomes.falseRollbacks());
    }

    private static String introduction(int trials) {
        return String.format(
                Locale.ROOT, """
                %,d trials of each scenario and share, with fixed seeds. Unless a row says otherwise: %,d callers with %d requests each in an
                interval, counts from %d intervals before the trial, looks after 1, 2, 4, 8, 16 and 32 intervals, usual tolerances, alpha %s.
                The busiest 1 %% of the callers make a fifth of the requests or more, and 0.5 %% of the callers have most of the refusals.
                """, trials, Scenarios.CALLERS, Scenarios.REQUESTS, Scenarios.BASELINE, ACCEPTED);
    }

    private static String summary(List<Outcomes> all) {
        StringBuilder table = new StringBuilder("""
                | truth | trials | promoted | rolled back | held | false promotions | false rollbacks | worst scenario |
                |---|---|---|---|---|---|---|---|
                """);
        for (Truth truth : Truth.values()) {
            List<Outcomes> of = all.stream()
                    .filter(each -> each.scenario().truth() == truth)
                    .toList();
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %,d | %,d | %,d | %,d | %.2f %% | %.2f %% | %.1f %% |%n",
                    truth.word(),
                    sum(of, Outcomes::trials),
                    sum(of, Outcomes::promoted),
                    sum(of, Outcomes::rolledBack),
                    sum(of, Outcomes::held),
                    percent(of, Outcomes::falsePromotions),
                    percent(of, Outcomes::falseRollbacks),
                    of.stream()
                            .mapToDouble(each -> 100.0 * worst(each) / each.trials())
                            .max()
                            .orElse(0)));
        }
        return table.toString();
    }

    private static String details(List<List<Outcomes>> rows) {
        StringBuilder table = new StringBuilder("""
                Each cell: promoted / rolled back / held. Nodes: 10 %, 20 %, 33 % and 50 % of 30 are on trial.

                | scenario | compared | truth | 1 % | 5 % | 20 % | 50 % | held as biased | looks, median |
                |---|---|---|---|---|---|---|---|---|
                """);
        for (List<Outcomes> row : rows) {
            Scenario first = row.get(0).scenario();
            table.append(String.format(
                    "| %s | %s | %s |",
                    first.name(), compared(first.compared()), first.truth().word()));
            for (Outcomes each : row) {
                table.append(
                        String.format(Locale.ROOT, " %d / %d / %d |", each.promoted(), each.rolledBack(), each.held()));
            }
            table.append(" ").append(list(row, Outcomes::biased)).append(" | ");
            table.append(list(row, Outcomes::look).replace("0", "-")).append(" |\n");
        }
        return table.toString();
    }

    private static String compared(Set<Measure> measures) {
        return measures.size() == Measure.values().length
                ? "all"
                : measures.stream().sorted().map(Measure::word).collect(Collectors.joining(", "));
    }

    private static String list(List<Outcomes> row, ToIntFunction<Outcomes> number) {
        return row.stream().map(each -> "" + number.applyAsInt(each)).collect(Collectors.joining(", "));
    }

    private static int sum(List<Outcomes> outcomes, ToIntFunction<Outcomes> number) {
        return outcomes.stream().mapToInt(number).sum();
    }

    private static double percent(List<Outcomes> outcomes, ToIntFunction<Outcomes> number) {
        return 100.0 * sum(outcomes, number) / Math.max(1, sum(outcomes, Outcomes::trials));
    }
}
