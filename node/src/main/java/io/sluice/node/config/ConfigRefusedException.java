package io.sluice.node.config;

import io.sluice.rules.yaml.DocumentError;
import java.util.List;

/** The configuration has errors. */
public final class ConfigRefusedException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient List<DocumentError> errors;

    ConfigRefusedException(List<DocumentError> errors) {
        super("config: " + errors.size() + (errors.size() == 1 ? " error" : " errors") + " (expected: none)");
        this.errors = List.copyOf(errors);
    }

    /** Returns the errors, at least one, in document order. */
    public List<DocumentError> errors() {
        return errors;
    }
}
