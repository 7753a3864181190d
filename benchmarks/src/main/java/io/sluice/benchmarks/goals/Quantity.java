package io.sluice.benchmarks.goals;

import java.util.List;
import java.util.OptionalDouble;
import java.util.function.DoubleBinaryOperator;

/** A number that is computed from figures; empty if one of them was not measured. */
@FunctionalInterface
interface Quantity {

    OptionalDouble in(Figures figures);

    static Quantity figure(String name) {
        return figures -> figures.get(name);
    }

    static Quantity least(List<String> names) {
        return each(names, Math::min);
    }

    static Quantity most(List<String> names) {
        return each(names, Math::max);
    }

    static Quantity ratio(String over, String under) {
        return figure(over).per(figure(under));
    }

    default Quantity times(double factor) {
        return figures -> {
            OptionalDouble value = in(figures);
            return value.isEmpty() ? value : OptionalDouble.of(value.getAsDouble() * factor);
        };
    }

    /** Returns the nearest whole number, for a count with an error of measurement. */
    default Quantity rounded() {
        return figures -> {
            OptionalDouble value = in(figures);
            return value.isEmpty() ? value : OptionalDouble.of(Math.rint(value.getAsDouble()));
        };
    }

    default Quantity per(Quantity under) {
        return figures -> {
            OptionalDouble one = in(figures);
            OptionalDouble other = under.in(figures);
            return one.isEmpty() || other.isEmpty() || other.getAsDouble() == 0
                    ? OptionalDouble.empty()
                    : OptionalDouble.of(one.getAsDouble() / other.getAsDouble());
        };
    }

    private static Quantity each(List<String> names, DoubleBinaryOperator together) {
        return figures -> names.stream().map(figures::get).allMatch(OptionalDouble::isPresent)
                ? names.stream()
                        .mapToDouble(name -> figures.get(name).getAsDouble())
                        .reduce(together)
                : OptionalDouble.empty();
    }
}
