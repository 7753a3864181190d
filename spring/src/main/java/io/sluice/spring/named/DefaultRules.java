package io.sluice.spring.named;

import io.sluice.rules.model.Rule;
import org.jspecify.annotations.Nullable;

/** The rules that apply to names for which no rule is in force. */
public interface DefaultRules {

    /** Provides no rule for a missing rule. */
    DefaultRules NONE = id -> null;

    /** Returns the rule for a name, or null if there is none. */
    @Nullable
    Rule of(String id);
}
