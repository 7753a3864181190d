package io.sluice.rules.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

class CallerSplitTest {

    private static final String KEY = "0123456789abcdef";
    private static final int CALLERS = 100_000;

    @Test
    void drawsAboutTheShare() {
        CallerSplit split = CallerSplit.share("user", KEY, 5);

        assertThat(onTrial(split)).isBetween(CALLERS * 47 / 1_000, CALLERS * 53 / 1_000);
    }

    @Test
    void keepsEveryCallerWhenTheShareGrows() {
        CallerSplit few = CallerSplit.share("user", KEY, 5);
        CallerSplit more = few.widened(20);

        for (int i = 0; i < CALLERS; i++) {
            CallerPlace before = few.place("u-" + i, 13);
            CallerPlace after = more.place("u-" + i, 13);
            assertThat(after.group()).isEqualTo(before.group());
            assertThat(after.onTrial() || !before.onTrial()).isTrue();
        }
    }

    @Test
    void drawsOtherCallersWithAnotherKey() {
        CallerSplit one = CallerSplit.share("user", KEY, 50);
        CallerSplit other = CallerSplit.share("user", "fedcba9876543210", 50);

        int both = 0;
        for (int i = 0; i < CALLERS; i++) {
            both += one.place("u-" + i, 13).onTrial()
                            && other.place("u-" + i, 13).onTrial()
                    ? 1
                    : 0;
        }

        assertThat(both).isBetween(CALLERS * 24 / 100, CALLERS * 26 / 100);
    }

    @Test
    void dividesEachSideIntoEvenGroups() {
        CallerSplit split = CallerSplit.share("user", KEY, 50);
        int[] trial = new int[CallerSplit.GROUPS];
        for (int i = 0; i < CALLERS; i++) {
            CallerPlace place = split.place("u-" + i, 13);
            trial[place.group()] += place.onTrial() ? 1 : 0;
        }

        for (int size : trial) {
            assertThat(size)
                    .isBetween(CALLERS / 2 / CallerSplit.GROUPS * 8 / 10, CALLERS / 2 / CallerSplit.GROUPS * 12 / 10);
        }
    }

    @Test
    void takesNamedCallersAlone() {
        CallerSplit split = CallerSplit.named("tenant", KEY, Set.of("acme", "globex"));

        assertThat(split.place("acme", 13).onTrial()).isTrue();
        assertThat(split.place("acm", 13).onTrial()).isFalse();
    }

    @Test
    void refusesImpossibleSplits() {
        assertThatThrownBy(() -> CallerSplit.share("user", KEY, 0)).hasMessageContaining("1..99");
        assertThatThrownBy(() -> CallerSplit.share("user", KEY, 100)).hasMessageContaining("1..99");
        assertThatThrownBy(() -> CallerSplit.share("user", "key", 5)).hasMessageContaining("16 hexadecimal digits");
        assertThatThrownBy(() -> CallerSplit.share("", KEY, 5)).hasMessageContaining("an attribute");
        assertThatThrownBy(() -> new CallerSplit("user", KEY, 5, Set.of("u"))).hasMessageContaining("one of them");
    }

    private static int onTrial(CallerSplit split) {
        int count = 0;
        for (int i = 0; i < CALLERS; i++) {
            count += split.place("u-" + i, 13).onTrial() ? 1 : 0;
        }
        return count;
    }
}
