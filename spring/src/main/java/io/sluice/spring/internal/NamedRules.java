package io.sluice.spring.internal;

import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.model.Rule;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the rules that the application names. Thread-safe. */
public final class NamedRules {

    private static final Logger LOG = LoggerFactory.getLogger(NamedRules.class);
    private static final int MOST_TOLD = 1_000;

    private final Evaluator evaluator;

    /** The ids that were reported as missing and have not been in force since. */
    private final Set<String> missing = ConcurrentHashMap.newKeySet();

    public NamedRules(Evaluator evaluator) {
        this.evaluator = evaluator;
    }

    /**
     * Returns the rule with this id if it is in force and enabled. A missing rule is logged once until it appears, because rules
     * may be loaded after the application has started.
     *
     * @param by what names the rule, for the log
     */
    public Optional<Rule> inForce(String id, String by) {
        Optional<Rule> rule = evaluator.rules().rule(id);
        if (rule.isPresent()) {
            if (!missing.isEmpty() && missing.remove(id)) {
                LOG.info("rule {}, named by {}, is now in force", id, by);
            }
        } else if (missing.size() < MOST_TOLD && missing.add(id)) {
            LOG.warn("rule {}, named by {}, is not in force; nothing is limited by it until it is loaded", id, by);
        }
        return rule.filter(Rule::enabled);
    }
}
