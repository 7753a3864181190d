package io.sluice.rules.source;

import io.sluice.rules.yaml.DocumentError;
import java.util.List;

/** There are no rules to begin with: the document has errors or cannot be read. */
public final class RulesRefusedException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient List<DocumentError> errors;

    public RulesRefusedException(List<DocumentError> errors) {
        super(errors.isEmpty() ? "no rules" : errors.get(0).toString());
        this.errors = List.copyOf(errors);
    }

    /** All that is wrong, at least one thing. */
    public List<DocumentError> errors() {
        return errors;
    }
}
