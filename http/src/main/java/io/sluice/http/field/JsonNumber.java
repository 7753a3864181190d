package io.sluice.http.field;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Returns the same text for every spelling of a number, so that {@code 17}, {@code 17.0} and {@code 1.7e1} are not three
 * callers. Whole numbers of up to 40 digits are exact. All others become the nearest {@code double}, as on most servers.
 *
 * <p>A {@link BigDecimal} of the whole number would not do: parsing many digits takes quadratic time, and {@code 1e999999999}
 * written out has a billion digits.
 */
final class JsonNumber {

    private static final int LONGEST = 40;
    private static final double LARGEST_WHOLE = 1e21;

    private JsonNumber() {}

    /** Returns the text of a valid JSON number, or null if it is out of range for a double. */
    static @Nullable String text(String number) {
        int exponentAt = Math.max(number.indexOf('e'), number.indexOf('E'));
        String mantissa = exponentAt < 0 ? number : number.substring(0, exponentAt);
        long exponent = exponentAt < 0 ? 0 : exponent(number.substring(exponentAt + 1));
        boolean negative = mantissa.startsWith("-");
        int dot = mantissa.indexOf('.');
        String digits = mantissa.substring(negative ? 1 : 0).replace(".", "");
        exponent -= dot < 0 ? 0 : mantissa.length() - dot - 1;
        int first = 0;
        while (first < digits.length() && digits.charAt(first) == '0') {
            first++;
        }
        int last = digits.length();
        while (last > first && digits.charAt(last - 1) == '0') {
            last--;
            exponent++;
        }
        if (first == last) {
            return "0";
        }
        if (exponent >= 0 && last - first + exponent <= LONGEST) {
            return (negative ? "-" : "") + digits.substring(first, last) + "0".repeat((int) exponent);
        }
        return rounded(Double.parseDouble(number));
    }

    private static @Nullable String rounded(double value) {
        if (Double.isInfinite(value)) {
            return null;
        }
        boolean whole = value == Math.rint(value) && Math.abs(value) < LARGEST_WHOLE;
        return whole ? new BigDecimal(value).toPlainString() : Double.toString(value);
    }

    /** Returns the exponent, capped where more digits no longer matter: such a number is out of range for a double. */
    private static long exponent(String text) {
        boolean negative = text.startsWith("-");
        long value = 0;
        for (int i = negative || text.startsWith("+") ? 1 : 0; i < text.length(); i++) {
            value = Math.min(1_000_000_000, value * 10 + text.charAt(i) - '0');
        }
        return negative ? -value : value;
    }
}
