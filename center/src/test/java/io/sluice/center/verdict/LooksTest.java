package io.sluice.center.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class LooksTest {

    @Test
    void areDueAtDoubleTheTime() {
        assertThat(Looks.due(0)).isEmpty();
        assertThat(Looks.due(1)).isEqualTo(OptionalInt.of(1));
        assertThat(Looks.due(2)).isEqualTo(OptionalInt.of(2));
        assertThat(Looks.due(3)).isEmpty();
        assertThat(Looks.due(32)).isEqualTo(OptionalInt.of(6));
    }
}
