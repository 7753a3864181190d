package io.sluice.spring.named;

import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.Spelling;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the rules that the application names. Thread-safe. */
public final class NamedRules {

    private static final Logger LOG = LoggerFactory.getLogger(NamedRules.class);
    private static final int NAMES_SHOWN = 3;
    private static final int MOST_TOLD = 1_000;

    private final Supplier<RuleSet> rules;
    private final MissingRule onMissing;
    private final DefaultRules defaults;

    /** The ids that were reported as missing and have not been in force since. */
    private final Set<String> missing = ConcurrentHashMap.newKeySet();

    /** @param rules returns the rules in force */
    public NamedRules(Supplier<RuleSet> rules, MissingRule onMissing, DefaultRules defaults) {
        this.rules = rules;
        this.onMissing = onMissing;
        this.defaults = defaults;
    }

    /**
     * Returns the rule with this id; null if it is disabled, or if it is missing and calls may pass.
     *
     * @param place the place that names the rule, for messages
     * @throws MissingRuleException if it is missing and calls must not pass
     */
    public @Nullable Rule find(String id, String place) {
        Rule rule = rules.get().rule(id).orElseGet(() -> defaults.of(id));
        if (rule == null) {
            miss(id, place);
            return null;
        }
        if (!missing.isEmpty() && missing.remove(id)) {
            LOG.info("rule {}, named by {}, is now in force", id, place);
        }
        return rule.enabled() ? rule : null;
    }

    /**
     * Reports that a call needs a missing rule. A warning is logged once until the rule appears.
     *
     * @throws MissingRuleException if calls must not pass
     */
    public void miss(String id, String place) {
        if (onMissing == MissingRule.FAIL) {
            throw new MissingRuleException(List.of(place + ": rule: " + id
                    + " (expected: a rule in force; to turn a rule off, give it enabled: false)"));
        }
        if (onMissing == MissingRule.WARN && missing.size() < MOST_TOLD && missing.add(id)) {
            LOG.warn("rule {}, named by {}, is not in force; calls pass without it", id, place);
        }
    }

    /**
     * Checks at startup that rules are in force.
     *
     * @throws MissingRuleException if rules are loaded, some of these are missing, and the application must not start
     */
    void check(Collection<RuleReference> named) {
        RuleSet set = rules.get();
        List<String> wrong = named.stream()
                .filter(one -> set.rule(one.id()).isEmpty() && defaults.of(one.id()) == null)
                .sorted(Comparator.comparing(RuleReference::place))
                .map(one -> one.place() + ": " + expected(one.id(), set))
                .distinct()
                .toList();
        if (wrong.isEmpty() || onMissing == MissingRule.ALLOW) {
            return;
        }
        boolean loaded = set.version() > 0;
        if (loaded && onMissing == MissingRule.FAIL) {
            throw new MissingRuleException(wrong);
        }
        wrong.forEach(one -> LOG.warn("{}{}", one, loaded ? "" : "; no rules have been loaded yet"));
    }

    private static String expected(String id, RuleSet set) {
        List<String> nearest = set.rules().stream()
                .map(Rule::id)
                .sorted(Comparator.comparingInt(known -> Spelling.distance(id, known)))
                .limit(NAMES_SHOWN)
                .toList();
        return "rule: " + id + " (expected: "
                + (nearest.isEmpty()
                        ? "a rule in force, but there are none"
                        : String.join(", ", nearest) + (set.rules().size() > NAMES_SHOWN ? " …" : ""))
                + ")";
    }
}
