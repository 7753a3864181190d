package io.sluice.center.release;

import java.util.Locale;

/** Where a rollout is. */
public enum RolloutState {
    /** Some live node has not applied the version yet. */
    RELEASING,
    /** Every live node applied it. */
    DONE,
    /** A newer version was released before every live node applied this one. */
    SUPERSEDED;

    /** Returns the name in the API and the database. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static RolloutState of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
