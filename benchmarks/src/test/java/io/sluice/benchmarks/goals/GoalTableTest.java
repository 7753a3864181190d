package io.sluice.benchmarks.goals;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The figures here are made up: no test asserts a measured one. */
class GoalTableTest {

    private static final String OURS = "64 callers/sluice/per s";
    private static final String THEIRS = "64 callers/bucket4j/per s";

    private final Figures figures = new Figures("redis");

    @Test
    void goalIsMetAtItsBound() {
        assertThat(rows(Goal.atLeast("least", Quantity.figure("redis/x"), 4, Unit.TIMES), 4))
                .endsWith("| yes |");
        assertThat(rows(Goal.atLeast("least", Quantity.figure("redis/x"), 4, Unit.TIMES), 3.9))
                .endsWith("| no  |");
        assertThat(rows(Goal.atMost("most", Quantity.figure("redis/x"), 4, Unit.TIMES), 4))
                .endsWith("| yes |");
        assertThat(rows(Goal.atMost("most", Quantity.figure("redis/x"), 4, Unit.TIMES), 4.1))
                .endsWith("| no  |");
    }

    private String rows(Goal goal, double value) {
        figures.add("x", value);
        return goal.row(figures).strip();
    }

    @Test
    void goalWithoutAllItsFiguresIsNotMeasured() {
        figures.add(OURS, 5);
        assertThat(GoalTable.ofMeasured(figures)).isEmpty();
        assertThat(GoalTable.ofAll(figures)).contains(": 0 met, 0 not met, ").doesNotContain("| yes |", "| no  |");
        figures.add(THEIRS, 1);
        assertThat(GoalTable.ofMeasured(figures)).contains("5.00 ×").contains("| yes |");
        assertThat(GoalTable.ofAll(figures)).contains(": 1 met, 0 not met, ");
    }

    @Test
    void aNumberThatIsNoneWasNotMeasured() {
        figures.add(OURS, Double.NaN);
        figures.add(THEIRS, 0);
        assertThat(GoalTable.ofMeasured(figures)).isEmpty();
        figures.add(OURS, 1);
        assertThat(GoalTable.ofMeasured(figures)).isEmpty();
    }

    @Test
    void figuresOfAnotherProcessKeepTheirNames(@TempDir Path folder) throws IOException {
        figures.add("a = b/per s", 0.1);
        figures.write(folder.resolve("figures/redis.txt"));
        Figures all = new Figures("all");
        all.read(folder.resolve("figures/redis.txt"));
        assertThat(all.get("redis/a = b/per s")).hasValue(0.1);
    }

    @Test
    void extremesNeedEveryFigure() {
        figures.add("a", 1);
        assertThat(Quantity.most(List.of("redis/a", "redis/b")).in(figures)).isEmpty();
        figures.add("b", 2);
        assertThat(Quantity.most(List.of("redis/a", "redis/b")).in(figures)).hasValue(2);
        assertThat(Quantity.least(List.of("redis/a", "redis/b")).in(figures)).hasValue(1);
    }
}
