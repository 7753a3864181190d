package io.sluice.center.release;

import java.util.Locale;

/** Where a rollout is. */
public enum RolloutState {
    /** It begins at a time in the future. */
    SCHEDULED,
    /** Some live node has not applied the version yet. */
    RELEASING,
    /** Some nodes or callers try the version, or its limits are candidates. */
    TRIAL,
    /** A trial whose last verdict was to wait. */
    HOLDING,
    /** Every live node applied it. */
    DONE,
    /** Its trial was ended, and the rules before it were released again. */
    ROLLED_BACK,
    /** A newer version was released before every live node applied this one. */
    SUPERSEDED,
    /** A schedule that was refused when its time came. */
    FAILED,
    /** A schedule that somebody took back. */
    CANCELLED;

    /** Returns the name in the API and the database. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static RolloutState of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
