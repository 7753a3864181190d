package io.sluice.rules.adjust;

import java.time.Instant;
import java.util.Optional;

/**
 * Makes a rule, or all rules, refuse no requests for a limited time: their limits are decided, counted and reported as in shadow. A rule
 * that denies stops denying only if it is named. Immutable.
 *
 * @param id the id, unique among the adjustments
 * @param rule the id of the rule; empty for all rules
 * @param until the moment from which it no longer applies
 */
public record ShadowSwitch(String id, Optional<String> rule, Instant until) {

    boolean covers(String id) {
        return rule.isEmpty() || rule.get().equals(id);
    }
}
