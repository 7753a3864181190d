package io.sluice.center.edit;

import io.sluice.rules.model.Rule;

/** One step of a change. Immutable. */
public sealed interface Edit {

    /** Returns the id of the rule that this edit touches. */
    String rule();

    /** Puts a rule in the place of the one with its id; a new rule comes last. */
    record Put(Rule put) implements Edit {
        @Override
        public String rule() {
            return put.id();
        }
    }

    /** Removes a rule. */
    record Remove(String rule) implements Edit {}
}
