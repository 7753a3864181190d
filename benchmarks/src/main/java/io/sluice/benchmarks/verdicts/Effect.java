package io.sluice.benchmarks.verdicts;

import java.util.function.UnaryOperator;

/** What the version on trial changes. Each effect has exactly the given size in the population. */
final class Effect {

    private static final int STEPS = 60;

    private Effect() {}

    static UnaryOperator<Population> none() {
        return before -> before;
    }

    /** Refuses more requests of each caller, or fewer if negative. */
    static UnaryOperator<Population> refusals(double points) {
        return before -> changed(before, false, points);
    }

    /** Refuses more requests of the callers that are refused often, and of no other. */
    static UnaryOperator<Population> refusalsOfHeavyCallers(double points) {
        return before -> changed(before, true, points);
    }

    static UnaryOperator<Population> errors(double points) {
        return before -> {
            Population after = before.copy(before.degraded());
            for (int i = 0; i < after.errors().length; i++) {
                after.errors()[i] = before.errors()[i] + points;
            }
            return after;
        };
    }

    static UnaryOperator<Population> latency(double part) {
        return before -> {
            Population after = before.copy(before.degraded());
            for (int i = 0; i < after.latency().length; i++) {
                after.latency()[i] = before.latency()[i] * (1 + part);
            }
            return after;
        };
    }

    static UnaryOperator<Population> degraded(double points) {
        return before -> before.copy(before.degraded() + points);
    }

    /** Finds the strength that changes the refused share by the given points. */
    private static Population changed(Population before, boolean heavyOnly, double points) {
        double low = 0;
        double high = 1;
        for (int i = 0; i < STEPS; i++) {
            double middle = (low + high) / 2;
            double size = Math.abs(with(before, heavyOnly, middle, points > 0).refusedShare() - before.refusedShare());
            if (size < Math.abs(points)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return with(before, heavyOnly, low, points > 0);
    }

    private static Population with(Population before, boolean heavyOnly, double strength, boolean more) {
        Population after = before.copy(before.degraded());
        for (int i = 0; i < after.refused().length; i++) {
            if (!heavyOnly || before.heavy()[i]) {
                double refused = before.refused()[i];
                after.refused()[i] = more ? refused + (1 - refused) * strength : refused * (1 - strength);
            }
        }
        return after;
    }
}
