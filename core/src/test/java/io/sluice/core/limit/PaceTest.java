package io.sluice.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Seeded;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import org.junit.jupiter.api.Test;

final class PaceTest {

    private static final long DAY = 86_400_000_000L;

    @Test
    void keepsOrdinaryRatesAsTheyAre() {
        assertThat(Pace.of(50, 1_000_000)).isEqualTo(new Pace(1, 20_000));
        assertThat(Pace.of(10_000_000, 1_000_000)).isEqualTo(new Pace(10, 1));
        assertThat(Pace.of(1, DAY)).isEqualTo(new Pace(1, DAY));
        assertThat(Pace.of(999, 1_000_000)).isEqualTo(new Pace(999, 1_000_000));
    }

    @Test
    void keepsRatesAsTheyAreAsLongAsBothSidesStayBelowTwoToThe31st() {
        assertThat(Pace.of((1L << 31) - 1, 1_000_000)).isEqualTo(new Pace((1L << 31) - 1, 1_000_000));
        assertThat(Pace.of(999, (1L << 31) - 1)).isEqualTo(new Pace(999, (1L << 31) - 1));
        assertThat(Pace.of((1L << 31) + 1, 1_000_000).permits()).isLessThan(1L << 31);
    }

    @Test
    void isNeverFasterThanTheRateAndAtMostABillionthSlower() {
        Seeded random = Seeded.random("isNeverFasterThanTheRateAndAtMostABillionthSlower");
        BigDecimal billionth = new BigDecimal("1e-9");
        for (int i = 0; i < 200_000; i++) {
            long micros = 1 + (random.nextLong() >>> 1) % (1_000 * DAY);
            long permits = 1 + (random.nextLong() >>> 1) % Math.min(1_000_000_000_000L, micros * 1_000);
            if (i % 3 == 0) {
                permits = Math.max(1, Math.min(permits, 1L << random.nextInt(40)));
            }
            Pace pace = Pace.of(permits, micros);
            BigInteger wanted = BigInteger.valueOf(permits).multiply(BigInteger.valueOf(pace.micros()));
            BigInteger got = BigInteger.valueOf(pace.permits()).multiply(BigInteger.valueOf(micros));
            BigDecimal slower =
                    new BigDecimal(wanted.subtract(got)).divide(new BigDecimal(wanted), MathContext.DECIMAL64);
            assertThat(slower).as("%s: %d per %d us", random, permits, micros).isBetween(BigDecimal.ZERO, billionth);
            assertThat(pace.permits()).isLessThanOrEqualTo((1L << 31));
            assertThat(pace.permits() == 1 || pace.micros() <= (1L << 31) + 1)
                    .as("%s: %s keeps products in range", random, pace)
                    .isTrue();
        }
    }

    @Test
    void countsWhatFlowsExactly() {
        Seeded random = Seeded.random("countsWhatFlowsExactly");
        for (int i = 0; i < 100_000; i++) {
            Pace pace = Pace.of(1 + random.nextInt(1 << 30), 1_000_000 + random.nextInt(1 << 30));
            long elapsed = (random.nextLong() >>> 1) % (1L << 52);
            BigInteger[] flowed = BigInteger.valueOf(elapsed)
                    .multiply(BigInteger.valueOf(pace.permits()))
                    .divideAndRemainder(BigInteger.valueOf(pace.micros()));
            assertThat(pace.wholeIn(elapsed)).as("%s", random).isEqualTo(flowed[0].longValueExact());
            assertThat(pace.partsIn(elapsed)).as("%s", random).isEqualTo(flowed[1].longValueExact());
        }
    }

    @Test
    void namesTheFirstMicrosecondAtWhichEnoughHasFlowed() {
        Seeded random = Seeded.random("namesTheFirstMicrosecondAtWhichEnoughHasFlowed");
        for (int i = 0; i < 100_000; i++) {
            Pace pace = Pace.of(1 + random.nextInt(1 << random.nextInt(31)), 1 + random.nextInt(1 << 30));
            long whole = random.nextInt(1_000_000);
            long parts = random.nextLong(pace.micros());
            long micros = pace.microsFor(whole, parts);
            assertThat(hasFlowed(pace, micros, whole, parts))
                    .as("%s: %s", random, pace)
                    .isTrue();
            assertThat(micros == 0 || !hasFlowed(pace, micros - 1, whole, parts))
                    .as("%s: %s, not sooner", random, pace)
                    .isTrue();
        }
    }

    @Test
    void capsWaitsAtTheLargestReportedWait() {
        assertThat(new Pace(1, 1_000 * DAY).microsFor(1_000_000_000_000L, 0)).isEqualTo(Pace.MAX_MICROS);
        long most = Pace.MAX_MICROS / 1_000;
        assertThat(new Pace(1, 1_000).microsFor(most, 0)).isEqualTo(most * 1_000);
        assertThat(new Pace(1, 1_000).microsFor(most + 1, 0)).isEqualTo(Pace.MAX_MICROS);
    }

    @Test
    void carriesPartsOverToAnotherPaceRoundedUp() {
        Pace thirds = new Pace(1, 3);
        assertThat(thirds.partsAs(new Pace(7, 3), 2)).isEqualTo(2);
        assertThat(thirds.partsAs(new Pace(1, 100), 0)).isZero();
        assertThat(thirds.partsAs(new Pace(1, 100), 1)).isEqualTo(34);
        assertThat(thirds.partsAs(new Pace(1, 1), 1)).isEqualTo(1);
    }

    private static boolean hasFlowed(Pace pace, long micros, long whole, long parts) {
        long flowed = pace.wholeIn(micros);
        return flowed > whole || (flowed == whole && pace.partsIn(micros) >= parts);
    }
}
