package io.sluice.replay.advice;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Pattern;

/**
 * An exact part of a whole. Immutable.
 *
 * @param part the part as a fraction, such as 0.001 for 0.1 %
 */
public record Share(BigDecimal part) {

    private static final Pattern PERCENT = Pattern.compile("([0-9]{1,4}(?:\\.[0-9]{1,9})?) ?%");
    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    /**
     * Reads {@code 0.1%}.
     *
     * @param most the largest percentage
     * @throws IllegalArgumentException with the complete message, if the text is anything else
     */
    public static Share percent(String name, String text, int most) {
        var digits = PERCENT.matcher(text);
        if (digits.matches()) {
            BigDecimal percent = new BigDecimal(digits.group(1));
            if (percent.compareTo(BigDecimal.valueOf(most)) <= 0) {
                return new Share(percent.divide(HUNDRED));
            }
        }
        throw new IllegalArgumentException(
                name + ": " + text + " (expected: a percentage from 0% to " + most + "%, such as 0.1%)");
    }

    /** Returns this share of a whole, rounded down. */
    long of(long whole) {
        return part.multiply(BigDecimal.valueOf(whole))
                .setScale(0, RoundingMode.FLOOR)
                .longValueExact();
    }

    /** Returns a number increased by this share, rounded up. */
    long onTopOf(long number) {
        return part.add(BigDecimal.ONE)
                .multiply(BigDecimal.valueOf(number))
                .setScale(0, RoundingMode.CEILING)
                .longValueExact();
    }

    /** Returns {@code 0.1 %}. */
    @Override
    public String toString() {
        return part.multiply(HUNDRED).stripTrailingZeros().toPlainString() + " %";
    }
}
