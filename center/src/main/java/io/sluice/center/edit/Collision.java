package io.sluice.center.edit;

import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A rule that a change touches and that another release has changed since the change's base version.
 *
 * @param rule the rule's id
 * @param theirs the other release's changes of the rule, in sentences
 * @param ours the change's own changes of the rule, in sentences; both are relative to the base version
 * @param diff the difference from their rule to ours, as text
 */
public record Collision(String rule, List<String> theirs, List<String> ours, String diff) {

    public Collision {
        theirs = List.copyOf(theirs);
        ours = List.copyOf(ours);
    }

    /**
     * Returns the collisions of a change with later releases. A rule that both changed to the same content does not collide.
     *
     * @param base the version that the change is based on
     * @param current the version in force
     */
    public static List<Collision> of(Edits edits, RuleSet base, RuleSet current) {
        List<Collision> collisions = new ArrayList<>();
        RuleSet edited = new RuleSet(1, edits.applyTo(base.rules()));
        for (String id : edits.touched()) {
            Optional<Rule> before = base.rule(id);
            Optional<Rule> theirs = current.rule(id);
            Optional<Rule> ours = edited.rule(id);
            if (!theirs.equals(before) && !theirs.equals(ours)) {
                collisions.add(new Collision(
                        id,
                        sentences(before, theirs),
                        sentences(before, ours),
                        String.join("\n", TextDifference.of(id, theirs, ours))));
            }
        }
        return List.copyOf(collisions);
    }

    private static List<String> sentences(Optional<Rule> before, Optional<Rule> after) {
        return RuleChange.between(alone(before), alone(after)).stream()
                .map(RuleChange::toString)
                .toList();
    }

    private static RuleSet alone(Optional<Rule> rule) {
        return new RuleSet(1, rule.stream().toList());
    }
}
