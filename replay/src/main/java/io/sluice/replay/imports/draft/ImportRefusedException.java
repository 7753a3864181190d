package io.sluice.replay.imports.draft;

import io.sluice.rules.yaml.DocumentError;
import java.util.List;

/** Thrown if a configuration cannot be imported, with every error that was found. */
public final class ImportRefusedException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient List<DocumentError> errors;

    public ImportRefusedException(List<DocumentError> errors) {
        super(errors.isEmpty() ? "no errors" : errors.get(0).toString());
        this.errors = List.copyOf(errors);
    }

    /** Creates an exception about one place. */
    public ImportRefusedException(Spot spot, String message) {
        this(List.of(spot.error(message)));
    }

    /** Returns the errors, at least one. */
    public List<DocumentError> errors() {
        return errors;
    }
}
