package io.sluice.center.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class StudentTest {

    @Test
    void hasTheValuesOfPrintedTables() {
        assertThat(Student.quantile(1, 0.005)).isCloseTo(63.657, within(0.001));
        assertThat(Student.quantile(10, 0.01)).isCloseTo(2.764, within(0.001));
        assertThat(Student.quantile(31, 0.0005)).isCloseTo(3.633, within(0.001));
        assertThat(Student.quantile(1e9, 0.025)).isCloseTo(1.960, within(0.003));
    }

    @Test
    void roundsDegreesDownAndSaysNothingBelowOne() {
        assertThat(Student.quantile(10.9, 0.01)).isEqualTo(Student.quantile(10, 0.01));
        assertThat(Student.quantile(0.9, 0.01)).isInfinite();
        assertThat(Student.quantile(Double.NaN, 0.01)).isInfinite();
    }
}
