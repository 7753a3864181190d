package io.sluice.rules.model;

import java.util.Map;
import java.util.Optional;

/**
 * The description of a rule. It has no influence on decisions. Immutable.
 *
 * @param name a name for people
 * @param tenant the owner of the rule
 * @param isProtected whether a change needs the approval of a second person
 * @param message the text for a refused caller
 * @param labels free labels for sorting and filtering rules
 */
public record RuleDescription(
        Optional<String> name,
        Optional<String> tenant,
        boolean isProtected,
        Optional<Message> message,
        Map<String, String> labels) {

    /** An empty description. */
    public static final RuleDescription NOTHING =
            new RuleDescription(Optional.empty(), Optional.empty(), false, Optional.empty(), Map.of());

    public RuleDescription {
        labels = Map.copyOf(labels);
    }
}
