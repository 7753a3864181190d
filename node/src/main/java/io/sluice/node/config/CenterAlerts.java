package io.sluice.node.config;

import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import java.nio.file.Path;
import java.util.function.Function;

/** What {@code center.alerts} says: where alerts go. Immutable. */
public record CenterAlerts() {

    static final CenterAlerts NONE = new CenterAlerts();

    static CenterAlerts of(Fields center, Function<String, Path> beside, Errors errors) {
        return NONE;
    }
}
