package io.sluice.http.figure;

import io.sluice.core.limit.Limit;
import java.math.BigDecimal;

/**
 * Reads a number as a count of permits. All spellings of a whole number have the same value: {@code 1000}, {@code 1000.0} and
 * {@code 1e3}. A number above the maximum of a limit counts as this maximum.
 */
final class WholeNumber {

    /** The value of a text that is not a whole number of 0 or more. */
    static final long NONE = -1;

    /** The maximum length of a text that is read. */
    static final int LONGEST = 64;

    private static final BigDecimal MOST = BigDecimal.valueOf(Limit.MAX_PERMITS);

    private WholeNumber() {}

    /** Reads the text of a number as JSON spells it. */
    static long of(String number) {
        BigDecimal value;
        try {
            value = new BigDecimal(number);
        } catch (NumberFormatException e) {
            return NONE; // an exponent that no number in use has
        }
        if (value.signum() <= 0) {
            return value.signum();
        }
        if (value.compareTo(MOST) >= 0) {
            return Limit.MAX_PERMITS;
        }
        BigDecimal shortest = value.stripTrailingZeros();
        return shortest.scale() <= 0 ? shortest.longValueExact() : NONE;
    }

    /** Reads the value of a header: digits only. */
    static long ofHeader(String value) {
        String digits = value.strip();
        boolean legal = !digits.isEmpty()
                && digits.length() <= LONGEST
                && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        return legal ? of(digits) : NONE;
    }
}
