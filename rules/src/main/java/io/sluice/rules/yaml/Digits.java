package io.sluice.rules.yaml;

import java.math.BigDecimal;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Parses numbers as documents write them. */
public final class Digits {

    private static final int MOST_DIGITS = 18;
    private static final int LONGEST_DECIMAL = 40;

    private Digits() {}

    /** Parses {@code 17} or {@code -17}, at most 18 digits. Returns empty for any other text. */
    public static OptionalLong whole(String text) {
        int start = text.startsWith("-") ? 1 : 0;
        if (text.length() == start || text.length() - start > MOST_DIGITS) {
            return OptionalLong.empty();
        }
        for (int i = start; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return OptionalLong.empty();
            }
        }
        return OptionalLong.of(Long.parseLong(text));
    }

    /** Parses {@code 0.25}, {@code 1} or {@code 1e-3}. Returns empty for any other text. */
    public static OptionalDouble decimal(String text) {
        if (text.length() > LONGEST_DECIMAL || !text.chars().allMatch(c -> "0123456789.eE+-".indexOf(c) >= 0)) {
            return OptionalDouble.empty();
        }
        try {
            return OptionalDouble.of(new BigDecimal(text).doubleValue());
        } catch (NumberFormatException e) {
            return OptionalDouble.empty();
        }
    }
}
