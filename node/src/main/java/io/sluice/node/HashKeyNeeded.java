package io.sluice.node;

import io.sluice.rules.RuleSet;
import io.sluice.rules.spi.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;

/** Refuses rules with keyed hashes on a node that shares its counts and has no key: it would count by itself, unnoticed. */
final class HashKeyNeeded implements RuleVet {

    private static final DocumentError FAULT = DocumentError.of(
            "rules",
            "hash key: none, and rules have privacy: hash (expected: rules.hash_key_file in --config,"
                    + " the same on every node of this Redis)");

    @Override
    public List<DocumentError> faults(RuleSet rules) {
        return rules.hashesKeys() ? List.of(FAULT) : List.of();
    }
}
