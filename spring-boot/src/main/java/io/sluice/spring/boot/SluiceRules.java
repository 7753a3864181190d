package io.sluice.spring.boot;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.yaml.DocumentError;
import java.util.List;

/** Gives access to the application's rules. Thread-safe. */
public final class SluiceRules {

    private final RuleSource source;

    SluiceRules(RuleSource source) {
        this.source = source;
    }

    /** Returns the rule set in force. */
    public RuleSet inForce() {
        return source.latest();
    }

    /**
     * Reads {@code sluice.rules} and {@code rate.limit.configs} from the environment again. Rules in files and in Redis need no
     * reload, because they are watched.
     *
     * @return the errors, each with the name of its property; if there are any, the rules in force stay in force
     */
    public List<DocumentError> reload() {
        return source.reload();
    }
}
