package io.sluice.center.edit;

import io.sluice.rules.model.Rule;

/** One step of a change. Immutable. */
public sealed interface Edit {

    /** Returns the id of the rule that this edit touches. */
    String rule();

    /** Replaces the rule with the same id; a new rule is added at the end. */
    record Put(Rule put) implements Edit {
        @Override
        public String rule() {
            return put.id();
        }
    }

    /** Removes a rule. */
    record Remove(String rule) implements Edit {}
}
