package io.sluice.replay.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TimeTextTest {

    private static final DateTimeFormatter COMMON = DateTimeFormatter.ofPattern(
                    "dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH)
            .withZone(ZoneOffset.ofHours(-3));

    @ParameterizedTest
    @CsvSource({
        "17/Nov/2026:22:41:33 +0000, 2026-11-17T22:41:33Z",
        "29/Feb/2024:00:00:00 -0530, 2024-02-29T05:30:00Z",
        "2026-11-17T22:41:33Z, 2026-11-17T22:41:33Z",
        "2026-11-17T22:41:33.1234567+01:00, 2026-11-17T21:41:33.123456Z",
        "2026-11-17 22:41:33, 2026-11-17T22:41:33Z",
        "1794955293, 2026-11-17T22:41:33Z",
        "1794955293.25, 2026-11-17T22:41:33.250Z",
        "1794955293250, 2026-11-17T22:41:33.250Z",
        "1794955293250001, 2026-11-17T22:41:33.250001Z",
        "1794955293250001999, 2026-11-17T22:41:33.250001Z"
    })
    void readsTimes(String text, String expected) {
        assertThat(micros(text)).isEqualTo(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(expected)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "-5",
                "yesterday",
                "17/Foo/2026:22:41:33 +0000",
                "30/Feb/2026:22:41:33 +0000",
                "17/Nov/2026:25:41:33 +0000",
                "17/Nov/2026:22:41:33 +9900",
                "17/Nov/2026",
                "2026-11-17T22:41:33Q",
                "2026-13-17T22:41:33Z",
                "1969-01-01T00:00:00Z",
                "9999-01-01T00:00:00Z",
                "12",
                "99999999999999999999999",
                "9223372036854775808",
                "1794955293.",
                "1794955293x"
            })
    void refusesWhatIsNoTime(String text) {
        assertThat(micros(text)).isEqualTo(TimeText.NONE);
    }

    @Test
    void agreesWithTheCalendarOfJava() {
        Random random = new Random(7);
        TimeText times = new TimeText();
        for (int i = 0; i < 10_000; i++) {
            Instant at = Instant.ofEpochSecond(631_152_000L + (long) (random.nextDouble() * 6_600_000_000L));
            byte[] common = COMMON.format(at).getBytes(StandardCharsets.UTF_8);
            byte[] iso = at.toString().getBytes(StandardCharsets.UTF_8);
            assertThat(times.micros(common, 0, common.length)).as("%s", at).isEqualTo(at.getEpochSecond() * 1_000_000);
            assertThat(times.micros(iso, 0, iso.length)).as("%s", at).isEqualTo(at.getEpochSecond() * 1_000_000);
        }
    }

    private static long micros(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new TimeText().micros(bytes, 0, bytes.length);
    }
}
