package io.sluice.core.limit;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The parameters that a limit is built from. Each parameter has a value of its own type, and the required parameters are
 * present.
 */
final class ParameterValues {

    private final Map<Parameter, Object> values;

    ParameterValues(Algorithm algorithm, Map<Parameter, Object> values) {
        values.forEach((parameter, value) -> {
            if (!algorithm.has(parameter)) {
                throw new IllegalArgumentException(parameter.word() + ": not a parameter of " + algorithm.word()
                        + " (expected: " + words(algorithm.parameters()) + ")");
            }
            if (!parameter.type().isInstance(value)) {
                throw new IllegalArgumentException(parameter.word() + ": " + value + " (expected: a "
                        + parameter.type().getSimpleName() + ")");
            }
        });
        for (Parameter parameter : algorithm.required()) {
            if (!values.containsKey(parameter)) {
                throw new IllegalArgumentException(
                        parameter.word() + ": missing (expected: " + words(algorithm.required()) + ")");
            }
        }
        this.values = values;
    }

    private static String words(List<Parameter> parameters) {
        return String.join(", ", Parameter.words(parameters));
    }

    boolean has(Parameter parameter) {
        return values.containsKey(parameter);
    }

    /** Returns the value of a parameter that is present. */
    <T> T get(Parameter parameter, Class<T> type) {
        return type.cast(Objects.requireNonNull(values.get(parameter), parameter.word()));
    }

    /** Returns the value of a parameter, or the default. */
    <T> T get(Parameter parameter, T usual, Class<T> type) {
        return has(parameter) ? get(parameter, type) : usual;
    }
}
