package io.sluice.examples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {

    @Test
    void byDefaultTenTimesTheLimitArrives() {
        assertThat(Options.parse(List.of()).rate()).isEqualTo(10_000);
        assertThat(Options.parse(List.of("--limit", "70")).rate()).isEqualTo(700);
        assertThat(Options.parse(List.of("--limit", "70", "--rate", "100")).rate())
                .isEqualTo(100);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--limit",
                "--limit 0",
                "--limit x",
                "--rate -1",
                "--seconds 301",
                "--on-failure never",
                "--kill-redis --redis redis://127.0.0.1",
                "sale"
            })
    void saysWhatWasExpected(String line) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of(line.split(" "))))
                .withMessageContaining("expected: ");
    }
}
