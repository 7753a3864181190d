package io.sluice.rules.model;

import java.util.Map;
import java.util.Optional;

/**
 * What a rule says about itself; nothing of it takes part in a decision. Immutable.
 *
 * @param name for people
 * @param tenant who owns the rule
 * @param isProtected whether a change needs the consent of a second person
 * @param message what a refused caller is told
 * @param labels for whoever sorts rules
 */
public record RuleDescription(
        Optional<String> name,
        Optional<String> tenant,
        boolean isProtected,
        Optional<Message> message,
        Map<String, String> labels) {

    /** A rule that says nothing. */
    public static final RuleDescription NOTHING =
            new RuleDescription(Optional.empty(), Optional.empty(), false, Optional.empty(), Map.of());

    public RuleDescription {
        labels = Map.copyOf(labels);
    }
}
