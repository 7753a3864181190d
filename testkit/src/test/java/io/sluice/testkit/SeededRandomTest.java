package io.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class SeededRandomTest {

    private static final List<Integer> CHOICES = List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);

    @Test
    void aSampleIsEvenlySpreadAndIsEverythingInTheLongForm() {
        assertThat(SeededRandom.sample(CHOICES, 3, 1)).containsExactly(0, 3, 6);
        assertThat(SeededRandom.sample(CHOICES, 30, 1)).isEqualTo(CHOICES);
        assertThat(SeededRandom.sample(CHOICES, 3, 10)).isEqualTo(CHOICES);
        assertThat(SeededRandom.sample(CHOICES, 3, 100)).isEqualTo(CHOICES);
        assertThat(SeededRandom.sample(List.of(), 3, 1)).isEmpty();
    }

    @Test
    void aSizeFollowsTheCurveThroughTheShortAndTheLongForm() {
        assertThat(SeededRandom.scaled(9, 1_000, 1)).isEqualTo(9);
        assertThat(SeededRandom.scaled(9, 1_000, 10)).isEqualTo(1_000);
        assertThat(SeededRandom.scaled(5, 50, 0.01)).isEqualTo(1);
        assertThat(SeededRandom.scaled(5, 50, 100)).isEqualTo(500);
    }
}
