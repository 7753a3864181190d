package io.sluice.rules;

import java.util.List;

/** Stands in for the real one until that is merged. */
public record Condition(String attribute, List<String> values) {

    public Condition {
        values = List.copyOf(values);
    }

    public static Condition parse(String attribute, List<String> values) {
        return new Condition(attribute, values);
    }
}
