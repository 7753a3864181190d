package io.sluice.center.series;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Which points somebody gets. */
class SeriesReplyTest {

    private static final long NOW = SeriesBench.START + 10_000;

    @Test
    void theStepFitsTheTime() {
        assertThat(step(NOW - 600, NOW)).isEqualTo(SeriesStep.SECOND);
        assertThat(step(NOW - 3_600, NOW)).isEqualTo(SeriesStep.MINUTE);
        assertThat(step(NOW - 2 * 86_400, NOW)).isEqualTo(SeriesStep.MINUTE);
        assertThat(step(NOW - 7 * 86_400, NOW)).isEqualTo(SeriesStep.HOUR);
        assertThat(step(NOW - 7 * 86_400, NOW - 7 * 86_400 + 60)).isEqualTo(SeriesStep.HOUR);
        assertThat(step(NOW - 365 * 86_400L, NOW)).isEqualTo(SeriesStep.DAY);
    }

    @Test
    void theUsualTimeIsTheLastHour() {
        assertThat(SeriesRange.of(null, null, null, NOW))
                .isEqualTo(new SeriesRange(SeriesStep.MINUTE, SeriesStep.MINUTE.start(NOW + 1 - 3_600), NOW + 1));
        assertThat(SeriesRange.of(null, null, "second", NOW).from()).isEqualTo(NOW + 1 - 3_600);
    }

    @Test
    void sumsAreOfWholeSteps() {
        SeriesRange brief = SeriesRange.of(time(NOW - 100), time(NOW), null, NOW);
        assertThat(brief.ofSums(false))
                .isEqualTo(new SeriesRange(
                        SeriesStep.MINUTE, SeriesStep.MINUTE.start(NOW - 100), SeriesStep.MINUTE.start(NOW - 1) + 60));
        SeriesRange day = SeriesRange.of(time(NOW - 86_400), time(NOW), null, NOW);
        assertThat(day.ofSums(false).step()).isEqualTo(SeriesStep.HOUR);
        assertThat(day.ofSums(true).step()).isEqualTo(SeriesStep.MINUTE);
    }

    @Test
    void wrongTimesAreRefusedWithWhatIsExpected() {
        assertThatThrownBy(() -> SeriesRange.of("yesterday", null, null, NOW))
                .hasMessage("from: not a time (expected: one such as 2026-11-17T10:00:00Z)");
        assertThatThrownBy(() -> SeriesRange.of(null, "+1000000000-01-01T00:00:00Z", null, NOW))
                .hasMessageStartingWith("to: not a time");
        assertThatThrownBy(() -> SeriesRange.of(time(NOW), time(NOW), null, NOW))
                .hasMessageContaining("(expected: a time before to");
        assertThatThrownBy(() -> SeriesRange.of(time(NOW - 3_800), time(NOW), "second", NOW))
                .hasMessage("from: 3800 points (expected: at most 3700; ask for a shorter time or a longer step than"
                        + " second)");
        assertThatThrownBy(() -> SeriesRange.of("1970-01-01T00:00:00Z", "9998-01-01T00:00:00Z", null, NOW))
                .hasMessageContaining("points (expected: at most 3700");
        assertThatThrownBy(() -> SeriesRange.of(null, null, "week", NOW))
                .hasMessage("step: unknown (expected: one of [second, minute, hour, day])");
    }

    private static SeriesStep step(long from, long until) {
        return SeriesRange.of(time(from), time(until), null, NOW).step();
    }

    private static String time(long second) {
        return Instant.ofEpochSecond(second).toString();
    }
}
