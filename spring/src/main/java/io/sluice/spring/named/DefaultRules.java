package io.sluice.spring.named;

import io.sluice.rules.model.Rule;
import org.jspecify.annotations.Nullable;

/** The rules that apply to names for which no rule is in force. */
public interface DefaultRules {

    /** A missing rule has no replacement. */
    DefaultRules NONE = id -> null;

    /** Returns the rule; null if there is none. */
    @Nullable
    Rule of(String id);
}
