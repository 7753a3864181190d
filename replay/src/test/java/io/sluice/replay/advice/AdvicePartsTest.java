package io.sluice.replay.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of advice, alone. */
final class AdvicePartsTest {

    private static final AdviceGoal EVERYBODY = new AdviceGoal(
            Optional.of(Share.percent("callers", "0%", 100)),
            Optional.empty(),
            Share.percent("headroom", "0%", 100),
            Duration.ofMinutes(1));

    @Test
    void callersBeyondTheRoomShareOneNumber() {
        CallerTable table = new CallerTable(new CallerTable.Room(100));
        for (int i = 1; i <= 1_000; i++) {
            table.raise(CallerTable.hash("caller-" + i, null), i);
        }
        assertThat(table.isPartial()).isTrue();
        assertThat(table.size()).isEqualTo(101);
        assertThat(table.get(CallerTable.hash("caller-7", null))).isEqualTo(7);
        assertThat(table.descending()[0]).isEqualTo(1_000);
        assertThat(table.descending()[1]).isEqualTo(100);
    }

    @Test
    void aNumberOnlyRises() {
        CallerTable table = new CallerTable(new CallerTable.Room(10));
        table.raise(17, 5);
        table.raise(17, 3);
        assertThat(table.get(17)).isEqualTo(5);
        assertThat(table.get(18)).isZero();
        assertThat(table.isPartial()).isFalse();
    }

    @Test
    void someOfManyCallersAreEnoughToChooseARate() {
        List<Rate> rates = List.of(Rate.perSecond(1), Rate.perSecond(2), Rate.perSecond(4), Rate.perSecond(8));
        RateSearch search = new RateSearch(rates, 64);
        for (int i = 0; i < 400; i++) {
            for (int caller = 0; caller < 200; caller++) {
                search.add(CallerTable.hash("caller-" + caller, null), 250_000L * i, 1);
            }
        }
        assertThat(search.callers()).isBetween(1, 64);
        assertThat(search.rate(search.best(EVERYBODY, 60_000_000))).isEqualTo(Rate.perSecond(4));
    }

    @Test
    void ratesAreInOrderAndCloseToEachOther() {
        List<Double> rates = new ArrayList<>();
        for (int i = 0; i < RateGrid.size(); i++) {
            rates.add(RateGrid.perMicro(RateGrid.get(i)));
        }
        for (int i = 1; i < rates.size(); i++) {
            double step = rates.get(i) / rates.get(i - 1);
            assertThat(step).isGreaterThan(1);
            assertThat(i < 10 ? 1 : step).isLessThan(1.11);
        }
    }

    @Test
    void headroomOfARateIsRoundedUpByAHundredthAtMost() {
        Share quarter = Share.percent("headroom", "25%", 100);
        Rate second = Rate.perSecond(50);
        assertThat(RateGrid.withHeadroom(second, Rate.perSecond(1), quarter)).hasToString("75/m");
        assertThat(RateGrid.withHeadroom(second, Rate.perSecond(1_000), quarter))
                .hasToString("1250/s");
        assertThat(RateGrid.withHeadroom(second, Rate.perMinute(2), quarter)).hasToString("150/h");
        assertThat(RateGrid.withHeadroom(second, Rate.perDay(3), quarter)).hasToString("4/d");
        assertThat(RateGrid.withHeadroom(Rate.perMinute(9), Rate.perSecond(8), quarter))
                .hasToString("600/m");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "0.1", "-1%", "101%", "1%%", "a%", "1e1%", "99999%"})
    void refusesWhatIsNoPercentage(String text) {
        assertThatThrownBy(() -> Share.percent("--refuse-callers", text, 100))
                .hasMessage("--refuse-callers: " + text + " (expected: a percentage from 0% to 100%, such as 0.1%)");
    }

    @Test
    void sharesAreExact() {
        Share tenth = Share.percent("share", "0.1%", 100);
        assertThat(tenth.of(1_000)).isEqualTo(1);
        assertThat(tenth.of(999)).isZero();
        assertThat(tenth.of(4_000_000_000_000_000L)).isEqualTo(4_000_000_000_000L);
        assertThat(tenth).hasToString("0.1 %");
        assertThat(Share.percent("share", "25 %", 100).onTopOf(17)).isEqualTo(22);
    }
}
