package io.sluice.benchmarks.goals;

import java.util.OptionalDouble;

/**
 * A goal for a measured quantity.
 *
 * @param what describes the quantity
 * @param most whether {@code bound} is a maximum; otherwise it is a minimum
 */
record Goal(String what, Quantity quantity, boolean most, double bound, Unit unit) {

    static Goal atMost(String what, Quantity quantity, double bound, Unit unit) {
        return new Goal(what, quantity, true, bound, unit);
    }

    static Goal atLeast(String what, Quantity quantity, double bound, Unit unit) {
        return new Goal(what, quantity, false, bound, unit);
    }

    boolean isMeasured(Figures figures) {
        return quantity.in(figures).isPresent();
    }

    boolean isMet(Figures figures) {
        OptionalDouble measured = quantity.in(figures);
        return measured.isPresent() && (most ? measured.getAsDouble() <= bound : measured.getAsDouble() >= bound);
    }

    /** Returns a row of a table with the columns of {@link GoalTable}. */
    String row(Figures figures) {
        OptionalDouble measured = quantity.in(figures);
        return String.format(
                "| %-72s | %s %8s | %12s | %-3s |%n",
                what,
                most ? "≤" : "≥",
                unit.text(bound),
                measured.isPresent() ? unit.text(measured.getAsDouble()) : "not measured",
                measured.isEmpty() ? "" : isMet(figures) ? "yes" : "no");
    }
}
