package io.sluice.spring.internal;

import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.model.Rule;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rules that the application names. Safe for use by many threads. */
public final class NamedRules {

    private static final Logger LOG = LoggerFactory.getLogger(NamedRules.class);
    private static final int MOST_TOLD = 1_000;

    private final Evaluator evaluator;

    /** Of which it was said that they are missing, and which have not been there since. */
    private final Set<String> missing = ConcurrentHashMap.newKeySet();

    public NamedRules(Evaluator evaluator) {
        this.evaluator = evaluator;
    }

    /**
     * The rule of this id, if it is in force and enabled. That one is not there at all is logged, once until it comes: rules may
     * arrive after the application has started.
     *
     * @param by who names it, for the log
     */
    public Optional<Rule> inForce(String id, String by) {
        Optional<Rule> rule = evaluator.rules().rule(id);
        if (rule.isPresent()) {
            if (!missing.isEmpty() && missing.remove(id)) {
                LOG.info("rule {} that {} names is in force", id, by);
            }
        } else if (missing.size() < MOST_TOLD && missing.add(id)) {
            LOG.warn("rule: {}, named by {}, is not in force: nothing is limited by it until it is", id, by);
        }
        return rule.filter(Rule::enabled);
    }
}
