package io.sluice.core.internal;

/** Formats durations as people write them: {@code 250ms}, {@code 1m}, {@code 41.23s}. */
public final class DurationText {

    private static final long[] MICROS = {86_400_000_000L, 3_600_000_000L, 60_000_000L, 1_000_000L, 1_000L, 1L};
    private static final String[] UNITS = {"d", "h", "m", "s", "ms", "us"};

    private DurationText() {}

    public static String text(long micros) {
        for (int i = 0; i < MICROS.length; i++) {
            if (micros >= MICROS[i] && micros % MICROS[i] == 0) {
                return micros / MICROS[i] + UNITS[i];
            }
        }
        return micros == 0
                ? "0s"
                : java.math.BigDecimal.valueOf(micros, 6).stripTrailingZeros().toPlainString() + "s";
    }
}
