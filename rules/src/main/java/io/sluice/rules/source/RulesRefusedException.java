package io.sluice.rules.source;

import io.sluice.rules.yaml.DocumentError;
import java.util.List;

/** Thrown when there are no rules to start with, because the document has errors or cannot be read. */
public final class RulesRefusedException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient List<DocumentError> errors;

    public RulesRefusedException(List<DocumentError> errors) {
        super(
                errors.isEmpty()
                        ? "rules: none (expected: a rule document)"
                        : errors.get(0).toString());
        this.errors = List.copyOf(errors);
    }

    /** Returns all errors, at least one. */
    public List<DocumentError> errors() {
        return errors;
    }
}
