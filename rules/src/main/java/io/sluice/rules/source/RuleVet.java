package io.sluice.rules.source;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;

/**
 * Looks over a set that is about to come into force in place of another, for what a process cannot do though the document is good.
 * Must be quick and must not throw.
 */
@FunctionalInterface
public interface RuleVet {

    /** Every set will do. */
    RuleVet NONE = rules -> List.of();

    /** Why the set is to be refused, as one with errors would be; empty if it will do. */
    List<DocumentError> faults(RuleSet rules);
}
