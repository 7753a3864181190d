package io.sluice.spring.boot;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;

/** The rules of the application. Safe for use by many threads. */
public final class SluiceRules {

    private final RuleSource source;

    SluiceRules(RuleSource source) {
        this.source = source;
    }

    /** The set in force. */
    public RuleSet inForce() {
        return source.latest();
    }

    /**
     * Reads {@code sluice.rules} and {@code rate.limit.configs} again, as they are in the environment now; rules of files and of Redis
     * are looked at anyway. Returns what is wrong with them, each error by the name of its property; if anything is, the rules in force
     * stay in force.
     */
    public List<DocumentError> reload() {
        return source instanceof PropertyRuleSource properties ? properties.reload() : List.of();
    }
}
