package io.sluice.node.config;

import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** Where a node sends traces and metrics. Immutable. */
public record TelemetrySettings() {

    static final List<String> KEYS = List.of();

    /** Nothing is sent. */
    public static final TelemetrySettings NONE = new TelemetrySettings();

    static TelemetrySettings of(Fields fields, Function<String, Path> beside, Errors errors) {
        return NONE;
    }
}
