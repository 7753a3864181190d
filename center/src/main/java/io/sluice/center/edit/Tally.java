package io.sluice.center.edit;

import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.Optional;

/** The numbers of added, changed and removed rules. */
public record Tally(int added, int changed, int removed) {

    public static Tally between(RuleSet before, RuleSet after) {
        int added = 0;
        int changed = 0;
        for (Rule rule : after.rules()) {
            Optional<Rule> old = before.rule(rule.id());
            added += old.isEmpty() ? 1 : 0;
            changed += old.isPresent() && !old.get().equals(rule) ? 1 : 0;
        }
        return new Tally(
                added, changed, before.rules().size() + added - after.rules().size());
    }
}
