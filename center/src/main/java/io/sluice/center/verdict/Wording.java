package io.sluice.center.verdict;

import io.sluice.center.verdict.Verdict.Kind;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;

/** Formats numbers for people. */
final class Wording {

    private static final double LARGE = 0.01;
    private static final int DIGITS = 4;

    private Wording() {}

    /** Returns a number without superfluous zeros. */
    static String plain(double number) {
        return Double.isFinite(number)
                ? BigDecimal.valueOf(number)
                        .setScale(DIGITS, RoundingMode.HALF_UP)
                        .stripTrailingZeros()
                        .toPlainString()
                : Double.toString(number);
    }

    static String count(double number) {
        return String.format(Locale.ROOT, "%,.0f", number);
    }

    static String share(double share) {
        return String.format(Locale.ROOT, Math.abs(share) < LARGE ? "%.2f %%" : "%.1f %%", share * 100);
    }

    static String points(double share) {
        String number = plain(Math.round(share * 10_000) / 100.0);
        return number + (number.equals("1") ? " point" : " points");
    }

    static String value(Measure measure, double value) {
        return measure == Measure.LATENCY ? String.format(Locale.ROOT, "%.1f ms", value / 1_000) : share(value);
    }

    /** Returns a difference, such as "0.4 points less". */
    static String difference(Measure measure, double difference) {
        double size = Math.abs(difference);
        String number = Double.isInfinite(size)
                ? "any amount"
                : measure == Measure.LATENCY ? value(measure, size) : points(size);
        return number + (difference < 0 ? " less" : " more");
    }

    static String tolerance(Measure measure, double tolerance) {
        return "at most " + (measure.relative() ? plain(tolerance * 100) + " %" : points(tolerance)) + " more";
    }

    static String values(Measure measure, double trial, double control) {
        return measure.word() + ": " + value(measure, trial) + " on trial against " + value(measure, control);
    }

    /** Returns the values before the trial; empty if there are none. */
    static String before(Measure measure, Sample before) {
        Estimate trial = Estimate.of(measure, before.trial());
        Estimate control = Estimate.of(measure, before.control());
        return trial.whole() > 0 && control.whole() > 0
                ? ", before " + value(measure, trial.value()) + " against " + value(measure, control.value())
                : "";
    }

    static String why(Measure measure, String values, Bounds bounds, double tolerance, Kind says) {
        String expected = " (expected: " + tolerance(measure, tolerance) + ")";
        return says == Kind.HOLD
                ? "hold: " + values + "; the effect is between " + difference(measure, bounds.low()) + " and "
                        + difference(measure, bounds.high()) + expected
                : values + expected;
    }
}
