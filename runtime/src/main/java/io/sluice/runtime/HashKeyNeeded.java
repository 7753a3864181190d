package io.sluice.runtime;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;

/**
 * Refuses rules with {@code privacy: hash} in a process that shares its counts but has no key. Without this check the process
 * would silently count on its own.
 */
public final class HashKeyNeeded implements RuleVet {

    private final DocumentError fault;

    /**
     * Creates a check for a process without a key.
     *
     * @param setting the setting that names the key file
     */
    public HashKeyNeeded(String setting) {
        this.fault = DocumentError.of(
                "rules",
                "hash key: none, but rules use privacy: hash (expected: " + setting
                        + ", the same on every node of this Redis)");
    }

    @Override
    public List<DocumentError> faults(RuleSet rules) {
        return rules.hashesKeys() ? List.of(fault) : List.of();
    }
}
