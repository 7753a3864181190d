package io.sluice.http.field;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Returns the same text for every spelling of a number, so that {@code 17}, {@code 17.0} and {@code 1.7e1} are not three
 * callers.
 *
 * <p>Most servers read numbers as {@code double}, others exactly. Only numbers that both read in the same way have a text: whole numbers up
 * to 2<sup>53</sup> - 1, and fractions of at most 15 digits. Beyond them a {@code double} stands for many numbers, so one caller of such a
 * server could have many counts here.
 */
final class JsonNumber {

    private static final int MOST_DIGITS = 15;
    private static final int MOST_WHOLE_DIGITS = 16;
    private static final long LARGEST_WHOLE = (1L << 53) - 1;

    private JsonNumber() {}

    /** Returns the text of a valid JSON number, or null if servers could read different values. */
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
        String text = text(digits.substring(first, last), exponent);
        return text != null && negative ? "-" + text : text;
    }

    private static @Nullable String text(String digits, long exponent) {
        if (exponent >= 0) {
            return digits.length() + exponent <= MOST_WHOLE_DIGITS ? whole(digits + "0".repeat((int) exponent)) : null;
        }
        return digits.length() <= MOST_DIGITS ? fraction(digits, exponent) : null;
    }

    private static @Nullable String whole(String digits) {
        return Long.parseLong(digits) <= LARGEST_WHOLE ? digits : null;
    }

    /** Returns the text of a fraction. A fraction that is too small for a double has no text, because many servers read it as zero. */
    private static @Nullable String fraction(String digits, long exponent) {
        double read = Double.parseDouble(digits + "e" + exponent);
        return read < Double.MIN_NORMAL
                ? null
                : BigDecimal.valueOf(Long.parseLong(digits), (int) -exponent).toString();
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
