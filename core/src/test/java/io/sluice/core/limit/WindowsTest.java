package io.sluice.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Seeded;
import io.sluice.core.algorithm.Driven;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class WindowsTest {

    private static final long HOUR = 3_600_000_000L;

    @ParameterizedTest
    @CsvSource({
        "Europe/Berlin,       2026-03-29, DAY,   23",
        "Europe/Berlin,       2026-10-25, DAY,   25",
        "America/New_York,    2026-03-08, DAY,   23",
        "America/New_York,    2026-11-01, DAY,   25",
        "Asia/Beirut,         2026-03-29, DAY,   23",
        "America/Havana,      2026-11-01, DAY,   25",
        "Africa/Cairo,        2026-04-24, DAY,   23",
        "Asia/Kathmandu,      2026-03-29, DAY,   24",
        "UTC,                 2024-02-29, DAY,   24",
        "UTC,                 2024-02-10, MONTH, 696",
        "UTC,                 2026-02-10, MONTH, 672",
        "UTC,                 2100-02-10, MONTH, 672",
        "UTC,                 2000-02-10, MONTH, 696",
        "UTC,                 2024-06-01, YEAR,  8784",
        "UTC,                 2026-06-01, YEAR,  8760",
        "Europe/Berlin,       2026-03-25, WEEK,  167",
        "Europe/Berlin,       2026-10-19, WEEK,  169",
        "Europe/Berlin,       2026-03-01, MONTH, 743",
        "Europe/Berlin,       2026-10-01, MONTH, 745",
        "Europe/Berlin,       2026-01-01, YEAR,  8760",
        "Pacific/Apia,        2011-12-29, DAY,   24",
        "Pacific/Kiritimati,  2026-01-01, DAY,   24",
    })
    void areAsLongAsTheCalendarSays(String zone, String date, Calendar calendar, long hours) {
        ZoneId in = ZoneId.of(zone);
        long noon = micros(LocalDate.parse(date).atTime(12, 0).atZone(in).toInstant());
        Windows.Window window = Windows.of(calendar, in).at(noon);
        assertThat(window.endMicros() - window.startMicros()).isEqualTo(hours * HOUR);
    }

    @Test
    void ofLordHoweMoveByHalfAnHour() {
        ZoneId zone = ZoneId.of("Australia/Lord_Howe");
        Windows days = Windows.of(Calendar.DAY, zone);
        Windows.Window spring = days.at(
                micros(LocalDate.of(2026, 10, 4).atTime(12, 0).atZone(zone).toInstant()));
        Windows.Window autumn = days.at(
                micros(LocalDate.of(2026, 4, 5).atTime(12, 0).atZone(zone).toInstant()));
        assertThat(spring.endMicros() - spring.startMicros()).isEqualTo(47 * HOUR / 2);
        assertThat(autumn.endMicros() - autumn.startMicros()).isEqualTo(49 * HOUR / 2);
    }

    @ParameterizedTest
    @EnumSource(Calendar.class)
    void followEachOtherWithoutGapOrOverlapInEveryZoneAtEveryChangeOfItsClocks(Calendar calendar) {
        Seeded random = Seeded.random("windows of a " + calendar);
        for (String id : Seeded.sample(List.copyOf(new TreeSet<>(ZoneId.getAvailableZoneIds())), 150)) {
            ZoneId zone = ZoneId.of(id);
            Windows windows = Windows.of(calendar, zone);
            for (long moment : moments(random, zone)) {
                Windows.Window window = windows.at(moment);
                assertThat(window.contains(moment))
                        .as("%s: %s at %d: %s", random, id, moment, window)
                        .isTrue();
                assertThat(windows.at(window.startMicros()))
                        .as("%s: %s at %d", random, id, moment)
                        .isEqualTo(window);
                assertThat(windows.at(window.endMicros() - 1))
                        .as("%s: %s at %d", random, id, moment)
                        .isEqualTo(window);
                assertThat(windows.at(window.endMicros()).startMicros())
                        .as("%s: %s after %d", random, id, moment)
                        .isEqualTo(window.endMicros());
                assertThat(windows.at(window.startMicros() - 1).endMicros())
                        .as("%s: %s before %d", random, id, moment)
                        .isEqualTo(window.startMicros());
            }
        }
    }

    @Test
    void evenOnesFollowEachOtherFromTheEpochAndBeforeIt() {
        Seeded random = Seeded.random("even windows");
        for (int i = 0; i < 100_000; i++) {
            long length = random.magnitude(1, 1_000L * 24 * HOUR);
            long moment = random.nextLong(4 * Driven.NOW) - 2 * Driven.NOW;
            Windows.Window window = Windows.of(length).at(moment);
            assertThat(window.contains(moment)).isTrue();
            assertThat(window.startMicros() % length).as("%s", random).isZero();
            assertThat(window.endMicros() - window.startMicros()).isEqualTo(length);
        }
    }

    /** A34: a caller that straddles the edges of a day of 23 or 25 hours gets no more than the day's permits. */
    @ParameterizedTest
    @CsvSource({"2026-03-29, 23", "2026-10-25, 25"})
    void aDayOf23Or25HoursHoldsTheLimitOfADay(String date, int hours) {
        ZoneId zone = ZoneId.of("Europe/Berlin");
        FixedWindow limit = Limit.named("x").fixedWindow(5, Calendar.DAY, zone);
        Driven count = new Driven(limit);
        long start = micros(LocalDate.parse(date).atStartOfDay(zone).toInstant());
        Demand one = Demand.of(limit, "k", 1);
        assertThat(count.ask(Demand.of(limit, "k", 5), start - 1).fits()).isTrue();
        long admitted = 0;
        for (long minute = 0; minute < hours * 60L; minute++) {
            Verdict verdict = count.ask(one, start + minute * HOUR / 60);
            admitted += verdict.granted();
            assertThat(verdict.resetAfterMicros()).isEqualTo(hours * HOUR - minute * HOUR / 60);
            if (!verdict.fits()) {
                assertThat(verdict.retryAfterMicros()).isEqualTo(verdict.resetAfterMicros());
            }
        }
        assertThat(admitted).isEqualTo(5);
        assertThat(count.ask(Demand.of(limit, "k", 5), start + hours * HOUR).fits())
                .isTrue();
    }

    /** Returns moments around each change of the zone's clocks between 1970 and 2040, and random ones. */
    private static List<Long> moments(Seeded random, ZoneId zone) {
        List<Long> moments = new ArrayList<>();
        Instant end = Instant.parse("2040-01-01T00:00:00Z");
        ZoneOffsetTransition change = zone.getRules().nextTransition(Instant.EPOCH);
        while (change != null && change.getInstant().isBefore(end)) {
            long at = micros(change.getInstant());
            for (long aside : new long[] {-24 * HOUR, -HOUR, -1, 0, 1, HOUR / 60, HOUR / 2, HOUR, 24 * HOUR}) {
                moments.add(at + aside);
            }
            change = zone.getRules().nextTransition(change.getInstant());
        }
        for (int i = 0; i < 10; i++) {
            moments.add(random.nextLong(micros(end)));
        }
        return moments;
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
