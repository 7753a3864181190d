package io.sluice.rules.source;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;

/** Checks a set that is about to replace another set, for valid rules that this process cannot apply. Must be fast and must not throw. */
@FunctionalInterface
public interface RuleVet {

    /** Accepts every set. */
    RuleVet NONE = rules -> List.of();

    /** Returns the errors for which the set must be refused; empty if it is acceptable. */
    List<DocumentError> faults(RuleSet rules);
}
