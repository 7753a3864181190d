package io.sluice.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ProgressBarTest {

    @Test
    void showsHowFarItIsAndWhatIsLeft() {
        assertThat(ProgressBar.line(500_000, 25, 100, 2_000_000_000L))
                .isEqualTo("[" + "█".repeat(7) + "·".repeat(23) + "]  25 %  500,000 requests, 250,000/s, 6 s left");
    }

    @Test
    void showsNoBarIfTheSizeIsUnknown() {
        assertThat(ProgressBar.line(500_000, 25, -1, 2_000_000_000L)).isEqualTo("500,000 requests, 250,000/s");
    }
}
