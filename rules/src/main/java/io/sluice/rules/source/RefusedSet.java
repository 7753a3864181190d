package io.sluice.rules.source;

import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;
import java.util.Optional;

/**
 * A set that a source refused.
 *
 * @param stamp the stamp of the set; empty if it has no version, or its version cannot be read
 * @param errors the errors for which it was refused
 */
public record RefusedSet(Optional<RuleStamp> stamp, List<DocumentError> errors) {

    public RefusedSet {
        errors = List.copyOf(errors);
    }
}
