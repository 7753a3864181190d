package io.sluice.node.config;

import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** Where a node logs its decisions. Immutable. */
public record DecisionLogSettings() {

    static final List<String> KEYS = List.of();

    /** Nothing is logged. */
    public static final DecisionLogSettings NONE = new DecisionLogSettings();

    static DecisionLogSettings of(Fields fields, Function<String, Path> beside, Errors errors) {
        return NONE;
    }
}
