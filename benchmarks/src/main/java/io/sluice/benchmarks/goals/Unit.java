package io.sluice.benchmarks.goals;

import java.util.Locale;

/** How a number of a goal is written. */
enum Unit {
    TIMES("%.2f ×", 1),
    PERCENT("%.1f %%", 100),
    SECONDS("%.2f s", 1),
    MILLIS("%.2f ms", 1),
    MEGABYTES("%.0f MB", 1),
    BYTES("%.0f B", 1),
    COUNT("%.0f", 1);

    private final String format;
    private final double factor;

    Unit(String format, double factor) {
        this.format = format;
        this.factor = factor;
    }

    String text(double number) {
        return String.format(Locale.ROOT, format, number * factor);
    }
}
