package io.sluice.benchmarks.goals;

import java.util.List;

/** Tables of goals and whether they are met. */
public final class GoalTable {

    private static final String HEAD =
            String.format("| %-72s | %-10s | %-12s | %-3s |%n", "what", "goal", "measured", "met") + "|"
                    + "-".repeat(74) + "|" + "-".repeat(12) + "|" + "-".repeat(14) + "|" + "-".repeat(5) + "|\n";

    private GoalTable() {}

    /** Returns the goals for which all figures are present, with an empty line before; empty if there are none. */
    public static String ofMeasured(Figures figures) {
        List<Goal> measured = Goals.SECTIONS.stream()
                .flatMap(section -> section.goals().stream())
                .filter(goal -> goal.isMeasured(figures))
                .toList();
        return measured.isEmpty() ? "" : "\n" + table(measured, figures);
    }

    /** Returns all goals by section, with a line that counts them. */
    public static String ofAll(Figures figures) {
        List<Goal> all = Goals.SECTIONS.stream()
                .flatMap(section -> section.goals().stream())
                .toList();
        StringBuilder page = new StringBuilder(String.format(
                "%d goals: %d met, %d not met, %d not measured.%n",
                all.size(),
                all.stream().filter(goal -> goal.isMet(figures)).count(),
                all.stream()
                        .filter(goal -> goal.isMeasured(figures) && !goal.isMet(figures))
                        .count(),
                all.stream().filter(goal -> !goal.isMeasured(figures)).count()));
        for (Goals.Section section : Goals.SECTIONS) {
            page.append("\n## ").append(section.title()).append("\n\n").append(table(section.goals(), figures));
        }
        return page.toString();
    }

    private static String table(List<Goal> goals, Figures figures) {
        StringBuilder table = new StringBuilder(HEAD);
        goals.forEach(goal -> table.append(goal.row(figures)));
        return table.toString();
    }
}
