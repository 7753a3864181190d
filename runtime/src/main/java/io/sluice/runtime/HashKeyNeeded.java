package io.sluice.runtime;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;

/** Refuses rules with keyed hashes in a process that shares its counts and has no key: it would count by itself, unnoticed. */
public final class HashKeyNeeded implements RuleVet {

    private final DocumentError fault;

    /**
     * A vet for a process without a key.
     *
     * @param setting what to set, to have one
     */
    public HashKeyNeeded(String setting) {
        this.fault = DocumentError.of(
                "rules",
                "hash key: none, and rules have privacy: hash (expected: " + setting
                        + ", the same on every node of this Redis)");
    }

    @Override
    public List<DocumentError> faults(RuleSet rules) {
        return rules.hashesKeys() ? List.of(fault) : List.of();
    }
}
